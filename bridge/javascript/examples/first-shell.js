#!/usr/bin/env node
// A whole shell in a terminal. Usage: first-shell.js [CORE]
import { createInterface } from 'node:readline/promises';
import { Client, CoreGone, Problem } from '../index.js';

const core = Client.spawn([process.argv[2] ?? 'grain-core', '--stdio', '--profile', 'sandbox']);
const person = createInterface({ input: process.stdin, output: process.stdout });
person.on('close', async () => process.exit((await core.close()) ?? 1)); // also at Ctrl-C and Ctrl-D
core.ended.then((gone) => {
  if (gone.exitCode !== 0) console.error([gone.message, ...gone.lastLog].join('\n'));
  person.close(); // no question outlives the core
});

core.onEffect('auth.present', async ({ args: { url, callback }, signal }) => {
  console.log(`Open this page in a browser. The password is “sandbox”.\n${url}`);
  if (callback.via === 'core') return 'presented'; // the core sees by itself where it ends
  const callbackUrl = await person.question('The address it ended at: ', { signal });
  await core.call('login.callback', { callbackUrl });
  return 'callbackDelivered';
}, { presentations: ['externalBrowser'] });

async function ask() {
  const handle = await person.question('Handle (alice.test): ');
  await core.call('login.submitHandle', { handle: handle || 'alice.test' }).catch((error) => {
    if (!(error instanceof Problem)) throw error;
    console.log(error.words); // refused: nothing has changed, so ask again
    return ask();
  });
}

try {
  await core.initialize({ name: 'first-shell', version: '1.0' });
  for await (const state of await core.subscribe('login')) {
    console.log(state.phase, state.problem?.message.fallback ?? ''); // a window would draw it here
    if (state.phase === 'signedIn') break;
    if (state.can.includes('login.start')) await core.call('login.start');
    else if (state.can.includes('login.submitHandle')) await ask();
  }
} catch (error) {
  if (!(error instanceof CoreGone)) console.error(error.words ?? error);
}
person.close();
