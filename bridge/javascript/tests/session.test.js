import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CoreGone, EffectFailed, OperationCancelled, Problem, ProtocolError, SubscriptionClosed } from '../index.js';
import { connected } from './fake-core.js';

test('answers may overtake each other', async () => {
  const { core, client } = connected();
  const answers = Promise.all([client.call('models/get'), client.call('ping')]);
  const [first, second] = [await core.hear('models/get'), await core.hear('ping')];
  core.answer(second, { n: 2 });
  core.answer(first, { n: 1 });
  assert.deepEqual(await answers, [{ n: 1 }, { n: 2 }]);
});

test('initialize says who asks and what it can do', async () => {
  const { core, client } = connected();
  client.onEffect('auth.present', () => 'dismissed', { presentations: ['webview'] });
  const opened = client.initialize({ name: 'test', version: '1.0', models: ['login', 'galleryPublish'], locale: 'de-DE' });
  const { params } = await core.open();
  assert.equal((await opened).protocolVersion, 1);
  assert.deepEqual(params, {
    protocolVersions: [1],
    client: { name: 'test', version: '1.0', processId: process.pid, locale: 'de-DE' },
    capabilities: {
      delivery: ['merge', 'full'],
      progress: false,
      effects: { 'auth.present': { version: 1, presentations: ['webview'] } },
    },
    models: [
      { model: 'login', schemas: ['v1/models/login.json'] },
      { model: 'galleryPublish', schemas: ['v1/models/gallery-publish.json'] },
    ],
  });
});

test('a refusal is a problem with words for the person', async () => {
  const { core, client } = connected();
  const refused = assert.rejects(client.call('login.submitHandle', { handle: 'alice' }), (problem) => {
    assert.ok(problem instanceof Problem);
    assert.deepEqual([problem.code, problem.kind, problem.words], [2001, 'login.handleInvalid', 'Not a handle.']);
    assert.deepEqual([problem.field, problem.retryAfterMs, problem.cause], ['/handle', 1500, 'network.timeout']);
    assert.deepEqual(problem.details, { a: 1 });
    return true;
  });
  const more = { field: '/handle', retryAfterMs: 1500, details: { a: 1 }, cause: 'network.timeout' };
  core.refuse(await core.hear('login.submitHandle'), 2001, 'login.handleInvalid', 'Not a handle.', more);
  await refused;
});

test('requests beyond what the core takes are held back', async () => {
  const { core, client } = connected();
  const opened = client.initialize({ name: 'test', version: '1' });
  await core.open(2);
  await opened;
  const calls = Promise.all([client.call('ping'), client.call('ping'), client.call('ping')]);
  const first = await core.hear('ping');
  await core.hear('ping');
  await new Promise(setImmediate);
  assert.equal(core.heard.length, 3);
  core.answer(first);
  core.answer(await core.hear('ping'));
  core.answer({ id: first.id + 1 });
  await calls;
});

test('a call that is given up frees nobody else and ignores its late answer', async () => {
  const { core, client } = connected();
  const controller = new AbortController();
  const given = assert.rejects(client.call('models/get', {}, { signal: controller.signal }), { name: 'AbortError' });
  const slow = await core.hear('models/get');
  controller.abort();
  await given;
  const quick = client.call('ping');
  core.answer(slow, { late: true });
  await core.serve('ping', { ok: true });
  assert.deepEqual(await quick, { ok: true });
});

test('a request of the future is refused and a notification of the future ignored', async () => {
  const { core } = connected();
  core.tell('models/sparkle', {});
  core.say({ id: 'c-1', method: 'windows/move', params: {} });
  assert.equal((await core.hear({ id: 'c-1' })).error.code, -32601);
});

test('a message that cannot be sent rejects its call and nothing else', async () => {
  const { core, client } = connected();
  await assert.rejects(client.call('login.setHandle', { handle: '\ud800' }), RangeError);
  const next = client.call('ping');
  await core.serve('ping');
  await next;
});

test('a state begins whole and goes on by differences', async () => {
  const { core, client } = connected();
  const subscribing = client.subscribe('login');
  const id = await core.opened({ phase: 'signedOut', operation: 'op-1' });
  const login = await subscribing;
  const held = login.state;
  core.snapshot({ subscription: id, revision: 4, base: 1, merge: { phase: 'signedIn', operation: null } });
  assert.deepEqual(await login.until((state) => state.phase === 'signedIn'), { phase: 'signedIn' });
  assert.equal(login.revision, 4);
  assert.equal(held.operation, 'op-1', 'a state that is held stays what it was');
});

test('a lost difference asks for a whole state', async () => {
  const { core, client } = connected();
  const subscribing = client.subscribe('login');
  const id = await core.opened({ n: 1 });
  const login = await subscribing;
  core.snapshot({ subscription: id, revision: 3, base: 2, merge: { n: 3 } });
  await core.serve({ method: 'models/resync', params: { subscription: id } });
  core.snapshot({ subscription: id, revision: 5, state: { n: 5 } });
  assert.deepEqual(await login.until((state) => state.n > 1), { n: 5 });
});

test('a difference whose digest is another asks for a whole state', async () => {
  const { core, client } = connected();
  const subscribing = client.subscribe('login');
  const id = await core.opened({ n: 1 });
  await subscribing;
  core.snapshot({ subscription: id, revision: 2, base: 1, merge: { n: 2 }, digest: '0'.repeat(64) });
  await core.hear('models/resync');
});

test('for await gives the present state, then each newer one, and ends with the instance', async () => {
  const { core, client } = connected();
  const subscribing = client.subscribe('login');
  const id = await core.opened({ n: 1 });
  const login = await subscribing;
  const seen = [];
  for await (const { n } of login) {
    seen.push(n);
    if (n < 3) core.snapshot({ subscription: id, revision: n + 1, base: n, merge: { n: n + 1 } });
    else core.tell('models/closed', { subscription: id, reason: 'gone' });
  }
  assert.deepEqual(seen, [1, 2, 3]);
  assert.equal(login.closed.reason, 'gone');
  await assert.rejects(login.until((state) => state.n === 9), SubscriptionClosed);
});

test('a slow reader gets the newest state, and onChange every one', async () => {
  const { core, client } = connected();
  const every = [];
  const subscribing = client.subscribe('login', { onChange: (state) => every.push(state.n) });
  const id = await core.opened({ n: 1 });
  const login = await subscribing;
  const reader = login[Symbol.asyncIterator]();
  assert.equal((await reader.next()).value.n, 1);
  for (const n of [2, 3, 4]) core.snapshot({ subscription: id, revision: n, base: n - 1, merge: { n } });
  await login.until((state) => state.n === 4);
  assert.equal((await reader.next()).value.n, 4);
  assert.deepEqual(every, [1, 2, 3, 4]);
});

test('the snapshots of one frame are shown together', async () => {
  const { core, client } = connected();
  const seen = [];
  const look = () => seen.push([login?.state.n, accounts?.state.n]);
  let login, accounts;
  const one = client.subscribe('login', { onChange: look });
  const first = await core.opened({ n: 1 });
  login = await one;
  const two = client.subscribe('accounts', { onChange: look });
  const second = await core.opened({ n: 1 });
  accounts = await two;
  seen.length = 0;
  core.snapshot({ subscription: first, revision: 2, state: { n: 2 }, more: true });
  core.snapshot({ subscription: second, revision: 2, state: { n: 2 } });
  await accounts.until((state) => state.n === 2);
  assert.deepEqual(seen, [[2, 2], [2, 2]]);
});

test('nothing arrives after unsubscribing', async () => {
  const { core, client } = connected();
  const subscribing = client.subscribe('login');
  const id = await core.opened({ n: 1 });
  const login = await subscribing;
  const leaving = client.unsubscribe(login);
  core.snapshot({ subscription: id, revision: 2, state: { n: 2 } });
  await core.serve('models/unsubscribe');
  await leaving;
  assert.deepEqual(login.state, { n: 1 });
  await client.unsubscribe(login);
});

test('arguments select the instance', async () => {
  const { core, client } = connected();
  const getting = client.get('galleryPublish', { draft: 'd-2' });
  await core.serve({ method: 'models/get', params: { model: 'galleryPublish', args: { draft: 'd-2' } } }, { state: { n: 9 } });
  assert.deepEqual(await getting, { n: 9 });
});

test('an operation is finished by its end, also one that came before anybody asked', async () => {
  const { core, client } = connected();
  const call = client.call('gallery.publish', { draft: 'd-1' });
  const request = await core.hear('gallery.publish');
  core.tell('operations/ended', { operation: 'op-1', outcome: 'succeeded', revisions: { galleryPublish: 9 } });
  core.answer(request, { accepted: true, operation: 'op-1' });
  assert.deepEqual((await client.finish(await call)).revisions, { galleryPublish: 9 });
  const later = client.finish('op-2');
  core.tell('operations/ended', { operation: 'op-2', outcome: 'cancelled' });
  await assert.rejects(later, OperationCancelled);
  assert.equal((await client.finish({ accepted: true, revisions: {} })).outcome, 'succeeded');
});

test('an operation that failed gives its problem', async () => {
  const { core, client } = connected();
  const finished = assert.rejects(client.finish('op-1'), { kind: 'network.offline', code: 4001, retryable: true });
  const message = { key: 'network.offline', params: {}, fallback: 'You are offline.' };
  const problem = { code: 4001, kind: 'network.offline', retryable: true, message };
  core.tell('operations/ended', { operation: 'op-1', outcome: 'failed', problem });
  await finished;
});

test('progress and endings are told in order', async () => {
  const { core, client } = connected();
  const heard = [];
  const opened = client.initialize({
    name: 'test',
    version: '1',
    onProgress: ({ value }) => heard.push(value.done),
    onEnded: ({ operation }) => heard.push(operation),
  });
  assert.equal((await core.open()).params.capabilities.progress, true);
  await opened;
  for (const done of [1, 2]) core.tell('$/progress', { token: 'op-1', value: { done, total: 2, unit: 'photos' } });
  core.tell('operations/ended', { operation: 'op-1', outcome: 'succeeded' });
  await client.finish('op-1');
  assert.deepEqual(heard, [1, 2, 'op-1']);
});

const perform = (core, effect, id = 'c-1') =>
  core.say({ id, method: 'effects/perform', params: { effect, version: 1, operation: 'op-1', args: { url: 'u' } } });

test('a handler may send intents before it answers', async () => {
  const { core, client } = connected();
  client.onEffect('auth.present', async ({ args, operation }) => {
    await client.call('login.callback', { callbackUrl: `app:/cb?${args.url}${operation}` });
    return 'callbackDelivered';
  });
  perform(core, 'auth.present');
  await core.serve({ method: 'login.callback', params: { callbackUrl: 'app:/cb?uop-1' } });
  await core.hear({ id: 'c-1', result: { outcome: 'callbackDelivered' } });
});

test('a whole result is passed on', async () => {
  const { core, client } = connected();
  const result = { outcome: 'picked', files: [{ path: '/a.jpg' }] };
  client.onEffect('files.pick', () => result);
  perform(core, 'files.pick');
  await core.hear({ id: 'c-1', result });
});

test('a handler that cannot says why, and one that fails answers all the same', async () => {
  const { core, client } = connected();
  const kind = async (effect) => {
    perform(core, effect);
    const { error } = await core.hear({ id: 'c-1' });
    return [error.code, error.data.kind];
  };
  client.onEffect('url.open', () => { throw new EffectFailed('effect.denied'); });
  client.onEffect('files.pick', () => { throw new Error('no display'); });
  client.onEffect('auth.present', () => undefined);
  client.onEffect('image.prepare', () => ({ outcome: 'prepared', width: NaN }));
  assert.deepEqual(await kind('url.open'), [6003, 'effect.denied']);
  assert.deepEqual(await kind('files.pick'), [6002, 'effect.failed']);
  assert.deepEqual(await kind('auth.present'), [6002, 'effect.failed']);
  assert.deepEqual(await kind('image.prepare'), [6002, 'effect.failed']);
  assert.deepEqual(await kind('clipboard.write'), [6001, 'effect.unsupported']);
  assert.throws(() => new EffectFailed('effect.tired'), RangeError);
});

test('a withdrawn effect is told to its handler and answered', async () => {
  const { core, client } = connected();
  client.onEffect('auth.present', ({ signal }) => new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve('dismissed'));
  }));
  perform(core, 'auth.present');
  core.tell('$/cancelRequest', { id: 'c-9' });
  core.tell('$/cancelRequest', { id: 'c-1' });
  await core.hear({ id: 'c-1', result: { outcome: 'dismissed' } });
});

test('whoever waits learns that the core is gone', async () => {
  const { core, client } = connected();
  const subscribing = client.subscribe('login');
  await core.opened({ n: 1 });
  const login = await subscribing;
  const released = new Promise((resolve) => client.onEffect('auth.present', ({ signal }) => {
    signal.addEventListener('abort', resolve);
    return released;
  }));
  perform(core, 'auth.present');
  const waiting = [
    assert.rejects(client.call('ping'), CoreGone),
    assert.rejects(client.finish('op-1'), CoreGone),
    assert.rejects(login.until((state) => state.n === 2), CoreGone),
    released,
  ];
  await core.hear('ping');
  core.end();
  await Promise.all(waiting);
  assert.ok((await client.ended) instanceof CoreGone);
  await assert.rejects(client.call('ping'), CoreGone);
  await assert.rejects(client.finish('op-2'), CoreGone);
});

test('a core that writes nonsense, or half a message, ends the session', async () => {
  for (const line of ['Segmentation fault\n', '{"method":"operations/ended","params":null}\n']) {
    const { core, client } = connected();
    const call = assert.rejects(client.call('ping'), CoreGone);
    core.write(Buffer.from(line));
    assert.ok((await client.ended).cause instanceof ProtocolError);
    await call;
    await core.hear('ping');
    await new Promise((resolve) => core.input.on('end', resolve)); // the core is told to stop
  }
});

test('an error without an id ends the session: one request will never be answered', async () => {
  const { core, client } = connected();
  const call = assert.rejects(client.call('ping'), /frame.tooDeep/);
  await core.hear('ping');
  core.refuse({ id: null }, -32600, 'frame.tooDeep');
  await call;
});

test('closing is shutdown, then exit, then the end of input', async () => {
  const { core, client } = connected();
  const closing = client.close();
  await core.serve('shutdown');
  await core.hear('exit');
  await closing;
  assert.equal(core.heard.length, 2);
});

test('while a whole state is on its way no second one is asked for; a refusal asks again', async () => {
  const { core, client } = connected();
  const subscribing = client.subscribe('login');
  const id = await core.opened({ n: 1 });
  const login = await subscribing;
  for (const base of [7, 8, 9]) core.snapshot({ subscription: id, revision: base + 1, base, merge: { n: base } });
  const first = await core.hear('models/resync');
  const program = setInterval(() => {}, 1000); // something else keeps this program alive
  await new Promise(setImmediate);
  assert.equal(core.heard.filter(({ method }) => method === 'models/resync').length, 1);
  core.refuse(first, -32005, 'protocol.overloaded', 'No.', { retryable: true, retryAfterMs: 5 });
  await core.serve('models/resync');
  clearInterval(program);
  core.snapshot({ subscription: id, revision: 12, state: { n: 12 } });
  assert.deepEqual(await login.until(({ n }) => n === 12), { n: 12 });
  core.snapshot({ subscription: id, revision: 20, base: 19, merge: { n: 20 } });
  await core.serve('models/resync'); // a later gap is mended as well
});

test('a screen is told that its instance is over, once, and may let go of it', async () => {
  const { core, client } = connected();
  const told = [];
  const subscribing = client.subscribe('galleryPublish', { args: { draft: 'd' }, onClosed: (closed) => told.push(closed.reason) });
  const id = await core.opened({ n: 1 });
  const gallery = await subscribing;
  core.tell('models/closed', { subscription: id, reason: 'gone' });
  await assert.rejects(gallery.until(() => false), SubscriptionClosed);
  await client.unsubscribe(gallery);
  assert.deepEqual(told, ['gone']);
  assert.equal(core.heard.length, 1, 'what is over is not ended again');
});

test('a subscription that both sides end at once is over', async () => {
  const { core, client } = connected();
  const subscribing = client.subscribe('login');
  await core.opened({ n: 1 });
  const ending = subscribing.then((login) => client.unsubscribe(login));
  core.refuse(await core.hear('models/unsubscribe'), -32006, 'protocol.unknownSubscription');
  await ending;
});

test('close may be called again, also while it is under way, and lets go of the streams', async () => {
  const { core, client } = connected();
  const closings = [client.close(), client.close()];
  await core.serve('shutdown');
  await core.hear('exit');
  core.end();
  await Promise.all([...closings, client.close()]);
  assert.ok(core.input.destroyed && core.output.destroyed);
  assert.equal(core.heard.length, 2);
});

test('close lets go of the streams of a core that never ends', async () => {
  const { core, client } = connected();
  const program = setInterval(() => {}, 1000); // something else keeps this program alive
  await client.close({ patience: 20 });
  clearInterval(program);
  assert.ok(core.input.destroyed && core.output.destroyed);
});
