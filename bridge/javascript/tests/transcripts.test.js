import { existsSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { core, needsCore, temporaryFolder } from './core.js';
import { read, TranscriptRun } from './transcript.js';

const folder = process.env.GRAIN_TRANSCRIPTS ?? fileURLToPath(new URL('../../../Schemas/v1/transcripts/', import.meta.url));
const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.ndjson')) : [];

for (const name of names) {
  test(`transcript ${name}`, needsCore, async (context) => {
    const transcript = await read(`${folder}/${name}`);
    await new TranscriptRun(core, transcript, await temporaryFolder(context)).run();
  });
}
