// The built core, for the tests that need one: its sandbox, its sign-in pages, a photograph.

import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { walk } from './page-walker.js';

export const core = process.env.GRAIN_CORE ?? fileURLToPath(new URL('../../../.build/debug/grain-core', import.meta.url));

/** Options of a test that needs the core: bounded in time, skipped with the reason where there is none. */
export const needsCore = {
  timeout: 120_000,
  skip: existsSync(core) ? false : `there is no ${core}; build it, or name it in GRAIN_CORE`,
};

/** A folder of its own, gone after the test. */
export async function temporaryFolder(context) {
  const folder = await mkdtemp(join(tmpdir(), 'grain-core-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export function command(folder, ...more) {
  return [core, '--stdio', '--profile', 'sandbox', '--data-dir', folder, ...more];
}

/** Plays the browser for `auth.present`, in whichever way the core asked for. */
export function presenting(client) {
  return async ({ args: { url, callback } }) => {
    const isEnd = (address) => {
      const { protocol, host, pathname, searchParams } = new URL(address);
      const isAnswer = searchParams.has('state') && (searchParams.has('code') || searchParams.has('error'));
      if (callback.via === 'core') return isAnswer;
      return protocol === `${callback.scheme}:` && host === (callback.host ?? '') && pathname === callback.path;
    };
    const callbackUrl = await walk(url, isEnd);
    if (callback.via === 'core') return 'presented';
    await client.call('login.callback', { callbackUrl });
    return 'callbackDelivered';
  };
}

/** A small photograph in a file. */
export async function photograph(folder) {
  const path = join(folder, 'photo.jpg');
  await writeFile(path, Buffer.from(PHOTO, 'base64'));
  return path;
}

const PHOTO = `
/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4p
LSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09P
T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAgADADASIA
AhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAQF/8QAFRABAQAAAAAAAAAAAAAAAAAAABP/xAAW
AQEBAQAAAAAAAAAAAAAAAAAABgX/xAAVEQEBAAAAAAAAAAAAAAAAAAAAFP/aAAwDAQACEQMRAD8A
1qlUVSqYlaNS2pVFUqSlS2pVFUqSlSKpVDUqo5U1UuqVQ1KkpUuqVQ1KkpU//9k=`;
