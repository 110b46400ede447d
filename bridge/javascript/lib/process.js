// The core as a child process: pipes, its log, and an end in any case.

import { spawn } from 'node:child_process';

import { CoreGone } from './errors.js';

const KEPT_LINES = 50;
const PIPE_PATIENCE_MS = 2000;

/** A running `grain-core --stdio`; its standard error is read all the time. */
export class CoreProcess {
  #child;
  #log = [];
  #rest = '';

  constructor([program, ...args], { env, onLog } = {}) {
    this.onLog = onLog;
    // The pipes are close-on-exec on our side: a leaked write end would hide the end of input.
    this.#child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    const { stdin, stdout, stderr } = this.#child;
    this.input = stdin;
    this.output = stdout;
    for (const pipe of [stdin, stdout, stderr]) pipe.on('error', () => {}); // the end of the process says it
    stderr.setEncoding('utf8').on('data', (text) => this.#logged(text));
    /** What ended it, once everything it wrote has been read. */
    this.ended = new Promise((resolve) => {
      this.#child.on('error', (error) => resolve(cannotStart(program, error)));
      this.#child.on('close', (code, signal) => resolve(CoreGone.ended(code, signal, this.#lines())));
      this.#child.on('exit', (code, signal) => {
        // A program it left behind may hold its pipes open; the core itself is gone.
        const give = () => resolve(CoreGone.ended(code, signal, this.#lines()));
        setTimeout(give, PIPE_PATIENCE_MS).unref();
      });
    });
  }

  /** Waits for it to end by itself, then insists; gives what ended it. */
  async end(patience) {
    const insisting = [() => this.#child.kill('SIGTERM'), () => this.#child.kill('SIGKILL')];
    const timers = insisting.map((insist, index) => setTimeout(insist, patience * (index + 1)));
    const gone = await this.ended;
    timers.forEach(clearTimeout);
    // A program it left behind may hold the other ends.
    for (const pipe of [this.input, this.output, this.#child.stderr]) pipe?.destroy();
    return gone;
  }

  #logged(text) {
    const lines = (this.#rest + text).split('\n'); // not at U+2028: a log line may hold one
    this.#rest = lines.pop();
    for (const line of lines) {
      this.#log.push(line);
      if (this.#log.length > KEPT_LINES) this.#log.shift();
      this.onLog?.(line);
    }
  }

  #lines() {
    return this.#rest === '' ? [...this.#log] : [...this.#log, this.#rest];
  }
}

function cannotStart(program, cause) {
  const words = cause.code === 'ENOENT'
    ? `There is no program “${program}”. Is grain-core installed?`
    : `“${program}” cannot be started: ${cause.code ?? cause.message}.`;
  return new CoreGone(words, { cause });
}
