#!/usr/bin/env node
// A whole shell in a terminal: signs in against the sandbox and prints what the core shows.
// Usage: first-shell.js [CORE]        CORE is the grain-core program

import { createInterface } from 'node:readline/promises';

import { Client, CoreGone, Problem } from '../index.js';

const core = Client.spawn([process.argv[2] ?? 'grain-core', '--stdio', '--profile', 'sandbox']);
const person = createInterface({ input: process.stdin, output: process.stdout });

core.onEffect('auth.present', async ({ args: { url, callback }, signal }) => {
  console.log(`Open this page in a browser. The password is “sandbox”.\n${url}`);
  if (callback.via === 'core') return 'presented'; // the core sees the end of it by itself
  const callbackUrl = await person.question('The address it ended at: ', { signal });
  await core.call('login.callback', { callbackUrl });
  return 'callbackDelivered';
}, { presentations: ['externalBrowser'] });

try {
  await core.initialize({ name: 'first-shell', version: '1.0' });
  const login = await core.subscribe('login');
  for await (const state of login) { // draw: this is all a shell does
    console.log(state.phase, state.problem?.message.fallback ?? '');
    if (state.can.includes('login.start') && state.phase !== 'signedIn') await core.call('login.start');
    else if (state.phase === 'enteringHandle') await submit();
    else if (state.phase === 'signedIn') break;
  }
} catch (error) {
  if (!(error instanceof CoreGone)) throw error;
  console.error([error.message, ...error.lastLog].join('\n'));
} finally {
  person.close();
  process.exitCode = await core.close();
}

async function submit() {
  const handle = await person.question('Handle (alice.test): ');
  await core.call('login.submitHandle', { handle: handle || 'alice.test' }).catch((error) => {
    if (!(error instanceof Problem)) throw error;
    console.log(error.words);
    return submit();
  });
}
