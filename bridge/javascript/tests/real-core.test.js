import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { Transform } from 'node:stream';
import { test } from 'node:test';

import { Client, CoreGone, Problem } from '../index.js';
import { command, needsCore, photograph, presenting, temporaryFolder } from './core.js';

for (const framing of ['lines', 'headers']) {
  for (const presentation of ['externalBrowser', 'webview']) {
    test(`signs in and publishes (${framing}, ${presentation})`, needsCore, async (context) => {
      const folder = await temporaryFolder(context);
      const client = Client.spawn(command(folder), { framing });
      context.after(() => client.close());
      await story(client, presentation, await photograph(folder));
      assert.equal(await client.close(), 0);
      assert.equal((await client.ended).exitCode, 0);
    });
  }
}

async function story(client, presentation, photo) {
  client.onEffect('auth.present', presenting(client), { presentations: [presentation] });
  const hello = await client.initialize({ name: 'test', version: '1', onProgress: () => {} });
  assert.equal(hello.protocolVersion, 1);
  assert.deepEqual(hello.missing, []);

  const login = await client.subscribe('login');
  const phases = [];
  const watching = (async () => {
    for await (const state of login) phases.push(state.phase);
  })();
  await client.call('login.start');
  await assert.rejects(client.call('login.submitHandle', { handle: 'alice' }), { kind: 'login.handleInvalid' });
  await client.finish(await client.call('login.submitHandle', { handle: 'alice.test' }));
  assert.equal((await login.until((state) => state.phase === 'signedIn')).status, 'done');
  await client.unsubscribe(login);
  await watching;
  assert.equal(phases.at(-1), 'signedIn');
  assert.ok(phases.includes('waitingForBrowser'));

  const { draft } = await client.call('gallery.createDraft');
  const gallery = await client.subscribe('galleryPublish', { args: { draft } });
  await client.finish(await client.call('gallery.addPhotos', { draft, files: [{ path: photo }] }));
  await client.call('gallery.setDetails', { draft, title: 'Ä title – 😀 \u2028' });
  const verdict = await client.call('gallery.publish', { draft });
  await client.finish(verdict);
  const done = await gallery.until((state) => state.phase === 'published');
  assert.match(done.publishedUri, /^at:\/\/did:/);
  assert.equal(done.title, 'Ä title – 😀 \u2028');
  assert.deepEqual(await client.get('galleryPublish', { draft }), gallery.state);
}

test('a reader that pauses at every message still sees the order that was promised', needsCore, async (context) => {
  const folder = await temporaryFolder(context);
  const [program, ...args] = command(folder);
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const trace = [];
  const client = new Client(child.stdout.pipe(pausing(trace)), child.stdin);
  await story(client, 'externalBrowser', await photograph(folder));
  await client.close();
  await client.ended;

  const seen = new Map(); // where each answer stood, and the newest revision of each subscription
  const subscribed = new Map();
  for (const { id, method, params, result } of trace) {
    if (method === undefined) {
      seen.set(id, true);
      if (result?.subscription) subscribed.set(result.subscription, 0);
    } else if (method === 'models/snapshot') {
      const before = subscribed.get(params.subscription);
      assert.notEqual(before, undefined, 'O3: the answer precedes the first snapshot');
      assert.ok(params.revision > before, 'O6: revisions rise');
      subscribed.set(params.subscription, params.revision);
      for (const cause of params.causedBy) assert.ok(seen.has(cause), 'O4: the verdict precedes its snapshots');
      if (params.base !== undefined) assert.equal(params.base, before, 'a difference continues what was sent');
    } else if (method === 'operations/ended') {
      for (const [model, revision] of Object.entries(params.revisions)) {
        for (const [name, held] of subscribed) {
          if (name.startsWith(`${model}.`)) assert.ok(held >= revision, 'O5: the state precedes the ending');
        }
      }
    }
  }
  assert.ok(trace.length > 20);
});

/** Hands on one line at a time, and waits between two. */
function pausing(trace) {
  let rest = '';
  return new Transform({
    readableHighWaterMark: 1,
    transform(chunk, _, done) {
      const lines = (rest + chunk.toString('latin1')).split('\n');
      rest = lines.pop();
      const next = () => {
        const line = lines.shift();
        if (line === undefined) return done();
        const bytes = Buffer.from(`${line}\n`, 'latin1');
        trace.push(JSON.parse(bytes.toString()));
        this.push(bytes);
        setTimeout(next, 3);
      };
      next();
    },
  });
}

test('a core with a wrong command line says so', needsCore, async (context) => {
  const client = Client.spawn(command(await temporaryFolder(context), '--nonsense'));
  await assert.rejects(client.call('ping'), (gone) => gone instanceof CoreGone && gone.exitCode === 64);
});

test('two cores in one folder: the second says who holds it, and may try again', needsCore, async (context) => {
  const folder = await temporaryFolder(context);
  const first = Client.spawn(command(folder));
  const second = Client.spawn(command(folder));
  context.after(() => Promise.all([first.close(), second.close()]));
  await first.initialize({ name: 'first', version: '1' });
  await assert.rejects(second.initialize({ name: 'second', version: '1' }), (problem) => problem instanceof Problem && problem.kind === 'store.locked');
  await first.close();
  assert.equal((await second.initialize({ name: 'second', version: '1' })).protocolVersion, 1);
});
