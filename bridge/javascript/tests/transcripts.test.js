import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { core, needsCore, temporaryFolder } from './core.js';
import { read, TranscriptRun } from './transcript.js';

const folder = process.env.GRAIN_TRANSCRIPTS ?? fileURLToPath(new URL('../../../Schemas/v1/transcripts/', import.meta.url));
const names = readdirSync(folder).filter((name) => name.endsWith('.ndjson'));
if (names.length === 0) throw new Error(`no transcripts in ${folder}`);

for (const name of names) {
  test(`transcript ${name}`, needsCore, async (context) => {
    const transcript = await read(`${folder}/${name}`);
    await new TranscriptRun(core, transcript, await temporaryFolder(context)).run();
  });
}
