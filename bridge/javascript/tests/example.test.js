import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { core, needsCore, temporaryFolder } from './core.js';
import { walk } from './page-walker.js';

const example = fileURLToPath(new URL('../examples/first-shell.js', import.meta.url));

test('the first shell signs in as it stands', needsCore, async (context) => {
  const folder = await temporaryFolder(context);
  const shell = spawn(process.execPath, [example, core], { env: { ...process.env, XDG_DATA_HOME: folder } });
  context.after(() => shell.kill());
  const answers = ['nonsense\n', 'alice.test\n'];
  let told = '';
  let walking;
  shell.stdout.setEncoding('utf8').on('data', (text) => {
    told += text;
    if (text.includes('Handle (alice.test): ')) shell.stdin.write(answers.shift());
    const url = /^http:\S+\n/m.exec(told)?.[0].trim();
    if (url !== undefined) walking ??= walk(url, (address) => new URL(address).searchParams.has('code'));
  });
  const code = await new Promise((resolve) => shell.on('close', resolve));
  await walking;
  assert.equal(code, 0, told);
  for (const words of ['signedOut', '“nonsense” is not a full handle', 'waitingForBrowser', 'signedIn']) {
    assert.ok(told.includes(words), `${words} in ${told}`);
  }
});

test('the first shell ends with its core while it asks, and says why', needsCore, async (context) => {
  const folder = await temporaryFolder(context);
  const shell = spawn(process.execPath, [example, core], { env: { ...process.env, XDG_DATA_HOME: folder } });
  context.after(() => shell.kill());
  let told = '';
  for (const pipe of [shell.stdout, shell.stderr]) pipe.setEncoding('utf8').on('data', (text) => (told += text));
  await new Promise((resolve) => {
    shell.stdout.on('data', () => told.includes('Handle (alice.test): ') && resolve());
  });
  const children = await readFile(`/proc/${shell.pid}/task/${shell.pid}/children`, 'utf8');
  process.kill(Number(children.trim().split(' ')[0]), 'SIGKILL');
  await new Promise((resolve) => shell.on('close', resolve));
  assert.match(told, /SIGKILL/);
});

test('the first shell is printed in the guide as it stands, and short', async () => {
  const guide = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const [, printed] = /```js\n(.*?)```/s.exec(guide);
  const code = (await readFile(example, 'utf8')).replace('../index.js', './bridge/javascript/index.js');
  assert.equal(printed, code.split('\n').slice(2).join('\n'));
  assert.ok(printed.trim().split('\n').length <= 40);
});
