import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Client, CoreGone } from '../index.js';

const OPTIONS = { timeout: 30_000 };

/** A core that is a line of JavaScript. */
const program = (code, options) => Client.spawn([process.execPath, '-e', code], options);

test('a core that dies says its code, what it means, and its last words', OPTIONS, async () => {
  const client = program('process.stdin.once("data", () => { console.error("bad weather"); process.exit(70); })');
  const call = assert.rejects(client.call('ping'), (gone) => {
    assert.ok(gone instanceof CoreGone);
    assert.equal(gone.exitCode, 70);
    assert.match(gone.message, /exit 70.*fault of its own/);
    assert.deepEqual(gone.lastLog, ['bad weather']);
    return true;
  });
  await call;
  await assert.rejects(client.call('ping'), CoreGone);
});

test('a core that is killed says so', OPTIONS, async () => {
  const client = program('process.kill(process.pid, "SIGKILL")');
  assert.match((await client.ended).message, /SIGKILL/);
});

test('writing to a core that is gone crashes nobody', OPTIONS, async () => {
  const client = program('process.stdin.destroy(); setTimeout(() => process.exit(0), 300)');
  await new Promise((resolve) => setTimeout(resolve, 150));
  const calls = [];
  for (let n = 0; n < 64; n += 1) calls.push(client.call('login.setHandle', { handle: 'x'.repeat(10_000) }));
  const results = await Promise.allSettled(calls);
  assert.ok(results.every(({ reason }) => reason instanceof CoreGone));
});

test('a core that logs a lot is never held up', OPTIONS, async () => {
  const lines = [];
  const code = `
    for (let n = 0; n < 20000; n += 1) process.stderr.write("\\u2028" + "x".repeat(100) + "\\n");
    process.stdin.once("data", () => process.stdout.write('{"jsonrpc":"2.0","id":1,"result":{}}\\n'));
    process.stdin.on("end", () => process.exit(0));`;
  const client = program(code, { onLog: (line) => lines.push(line) });
  await client.call('ping');
  assert.equal(await client.close({ patience: 300 }), 0);
  assert.equal(lines.length, 20_000);
});

test('a program that is not there is named', OPTIONS, async () => {
  const client = Client.spawn(['/nowhere/grain-core']);
  await assert.rejects(client.call('ping'), /nowhere\/grain-core/);
  assert.equal(await client.close(), undefined);
});

test('a core that does not end is ended', OPTIONS, async () => {
  const client = program('process.stdin.resume(); setInterval(() => {}, 1000)');
  assert.equal(await client.close({ patience: 100 }), undefined);
  assert.match((await client.ended).message, /SIGTERM/);
});

test('a program the core leaves behind does not hide its end', OPTIONS, async () => {
  const code = `
    const child = require("child_process").spawn("sleep", ["5"], { stdio: ["ignore", "inherit", "inherit"] });
    child.unref(); process.exit(75);`;
  const gone = await program(code).ended;
  assert.equal(gone.exitCode, 75);
});
