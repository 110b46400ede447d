// JSON Merge Patch (RFC 7396), exact here because states hold no null.

import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

/** `target` after `patch`; neither is changed, and parts of both may be shared by the result. */
export function mergePatch(target, patch) {
  if (!isObject(patch)) return patch;
  // A map, and entries at the end: a member may be named `__proto__`.
  const members = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, mergePatch(members.get(name), value));
  }
  return Object.fromEntries(members);
}

/** SHA-256 of a state's canonical text, in hexadecimal: what the test profile sends along. */
export function stateDigest(state) {
  const text = canonical(state).replace(
    /[\x7f-\x9f\u2028\u2029]/g, // what JSON.stringify leaves and the core escapes (§1)
    (c) => `\\u${c.charCodeAt().toString(16).padStart(4, '0')}`,
  );
  return createHash('sha256').update(text).digest('hex');
}

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}

function isObject(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
