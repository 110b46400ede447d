import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { mergePatch, stateDigest } from '../index.js';
import { connected } from './fake-core.js';
import { difference, RandomStates } from './random-states.js';

test('the examples of RFC 7396', () => {
  for (const [target, patch, result] of [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [['a', 'b'], ['c', 'd'], ['c', 'd']],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ]) {
    assert.deepEqual(mergePatch(target, patch), result);
  }
});

test('ten thousand random changes arrive exactly', () => {
  const states = new RandomStates(7396);
  let held = states.members(3);
  for (let round = 0; round < 10_000; round += 1) {
    const next = states.changed(held);
    const before = stateDigest(held);
    const merged = mergePatch(held, JSON.parse(JSON.stringify(difference(held, next))));
    assert.equal(stateDigest(merged), stateDigest(next));
    assert.equal(stateDigest(held), before, 'the old state was changed in place');
    held = merged;
  }
});

test('members named like what every object inherits are plain members', () => {
  const patch = JSON.parse('{"__proto__":{"x":1},"constructor":{"y":2}}');
  const merged = mergePatch({}, patch);
  assert.equal(JSON.stringify(merged), '{"__proto__":{"x":1},"constructor":{"y":2}}');
  assert.equal({}.x, undefined);
  assert.equal(JSON.stringify(mergePatch(merged, JSON.parse('{"__proto__":null}'))), '{"constructor":{"y":2}}');
});

test("a digest is of the core's own text", () => {
  // Names sorted by their bytes, DEL and U+2028 escaped, the slash and ä not.
  const written = '{"A":true,"a":"\\u007f\\u2028/ä","b":[1,{"x":{},"y":0.5}],"\ufb00":1,"😀":2}';
  const state = { '😀': 2, '\ufb00': 1, b: [1, { y: 0.5, x: {} }], a: '\x7f\u2028/ä', A: true };
  assert.equal(stateDigest(state), createHash('sha256').update(written).digest('hex'));
});

test('ten thousand states arrive in order by their digests, and gaps are mended', { timeout: 60_000 }, async () => {
  const { core, client } = connected();
  const states = new RandomStates(10_000);
  let state = states.members(3);
  const expected = [stateDigest(state)];
  const arrived = [];
  const subscribing = client.subscribe('login', { onChange: (shown) => arrived.push(stateDigest(shown)) });
  const subscription = await core.opened(state);
  const login = await subscribing;
  for (let revision = 2; revision <= 10_000; revision += 1) {
    const next = states.changed(state);
    const merge = difference(state, next);
    const digest = stateDigest(next);
    expected.push(digest);
    if (revision % 500 === 0 || revision % 700 === 0) {
      // A lost message, whose base is not what the client holds; or a wrong one, which only the digest tells.
      if (revision % 500 === 0) core.snapshot({ subscription, revision: revision + 1, base: revision, merge });
      else core.snapshot({ subscription, revision, base: revision - 1, merge: { ...merge, wrong: 1 }, digest });
      await core.serve('models/resync');
      core.snapshot({ subscription, revision, state: next, digest });
    } else {
      core.snapshot({ subscription, revision, base: revision - 1, merge, digest });
    }
    state = next;
  }
  await login.until(() => login.revision === 10_000);
  assert.deepEqual(arrived, expected);
});
