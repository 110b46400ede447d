// What a message or a state is held against (bridge-protocol §13): objects by subset, arrays and
// scalars exactly, texts that begin with `$` as matchers, but for the names of methods (`$/…`).

import { isDeepStrictEqual } from 'node:util';

/** The first difference in words, or undefined. `values` is what `$var:` names stand for. */
export function mismatch(pattern, value, values = {}, { exact = false } = {}, at = '') {
  const differs = () => `${at || '(all of it)'}: expected ${JSON.stringify(pattern)}, came ${JSON.stringify(value)}`;
  if (typeof pattern === 'string' && /^\$[^/]/.test(pattern)) return matches(pattern, value, values) ? undefined : differs();
  if (isObject(pattern) && '$exact' in pattern) return mismatch(pattern.$exact, value, values, { exact: true }, at);
  if (isObject(pattern) && '$contains' in pattern) {
    const isThere = (element) => value.some((found) => mismatch(element, found, values) === undefined);
    return Array.isArray(value) && pattern.$contains.every(isThere) ? undefined : differs();
  }
  if (isObject(pattern) && isObject(value)) {
    for (const [name, member] of Object.entries(pattern)) {
      const found = mismatch(member, value[name], values, { exact }, `${at}/${name}`);
      if (found !== undefined) return found;
    }
    return exact && Object.keys(value).some((name) => !(name in pattern)) ? differs() : undefined;
  }
  if (Array.isArray(pattern) && Array.isArray(value) && pattern.length === value.length) {
    for (const [index, element] of pattern.entries()) {
      const found = mismatch(element, value[index], values, { exact }, `${at}/${index}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return isDeepStrictEqual(pattern, value) ? undefined : differs();
}

const MATCHERS = {
  $any: (value) => value !== undefined,
  $absent: (value) => value === undefined,
  $string: (value) => typeof value === 'string',
  $int: Number.isInteger,
  $bool: (value) => typeof value === 'boolean',
  $uri: (value) => /^[a-z][a-z0-9+.-]*:\S+$/.test(value),
  $did: (value) => /^did:[a-z]+:[A-Za-z0-9._:%-]+$/.test(value),
  $time: (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
};

function matches(pattern, value, values) {
  if (pattern.startsWith('$$')) return value === pattern.slice(1);
  if (Object.hasOwn(MATCHERS, pattern)) return MATCHERS[pattern](value);
  const [, kind, rest] = /^\$(re|gte|var|secret|private):(.*)$/s.exec(pattern) ?? [];
  if (kind === 're') return typeof value === 'string' && new RegExp(rest).test(value);
  if (kind === 'gte') return typeof value === 'number' && value >= Number(rest);
  if (kind === 'var') return rest in values && isDeepStrictEqual(value, values[rest]);
  if (kind !== undefined) return typeof value === 'string' && value !== ''; // secrets are not compared
  throw new Error(`${pattern} is no matcher`);
}

export function isObject(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
