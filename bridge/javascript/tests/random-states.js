// Random states without null, random changes of them, and the patch between two.

const NAMES = ['a', 'b', 'status', 'photo', 'photoOrder', '', 'ä', '😀', '\u2028', 'a/b', '~', '7', '__proto__', 'constructor'];
const PLAIN = [0, 1, -7, 2 ** 53 - 1, 1.5, true, false, '', '0', 'true', 'x\ny', '\x7f\x85', '漢字'];

export class RandomStates {
  #seed;

  constructor(seed) {
    this.#seed = seed;
  }

  members(depth) {
    const entries = [];
    for (let count = this.#below(5); count > 0; count -= 1) entries.push([this.#one(NAMES), this.#value(depth)]);
    return Object.fromEntries(entries);
  }

  changed(state, depth = 3) {
    const members = new Map(Object.entries(state));
    for (let count = 1 + this.#below(3); count > 0; count -= 1) {
      const name = this.#one(NAMES);
      const inner = members.get(name);
      if (this.#below(4) === 0) members.delete(name);
      else if (isObject(inner) && this.#below(10) < 7) members.set(name, this.changed(inner, depth - 1));
      else members.set(name, this.#value(Math.max(0, depth - 1)));
    }
    return Object.fromEntries(members);
  }

  #value(depth) {
    const kind = this.#below(100);
    if (depth > 0 && kind < 35) return this.members(depth - 1);
    if (depth > 0 && kind < 45) return Array.from({ length: this.#below(4) }, () => this.#value(depth - 1));
    return this.#one(PLAIN);
  }

  #one(values) {
    return values[this.#below(values.length)];
  }

  // Park and Miller's generator: the same states on every machine.
  #below(limit) {
    this.#seed = (this.#seed * 48271) % 2147483647;
    return this.#seed % limit;
  }
}

/** A merge patch from one null-free object to another. */
export function difference(before, after) {
  const patch = [];
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) patch.push([name, null]);
  for (const [name, value] of Object.entries(after)) {
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    if (isObject(old) && isObject(value)) {
      const inner = difference(old, value);
      if (Object.keys(inner).length > 0) patch.push([name, inner]);
    } else if (old === undefined || JSON.stringify(old) !== JSON.stringify(value)) {
      patch.push([name, value]);
    }
  }
  return Object.fromEntries(patch);
}

function isObject(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
