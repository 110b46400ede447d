// Runs a transcript (bridge-protocol §13) with this library's framing, merging and digests. Steps for
// windows are passed over; golden files are for the core's own tests.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

import { encode, mergePatch, MessageSplitter } from '../index.js';
import { Subscription } from '../lib/subscription.js';
import { photograph } from './core.js';
import { walk } from './page-walker.js';
import { isObject, mismatch } from './pattern.js';

const USUAL_WAIT_MS = 2000;
const USUAL_END_MS = 10_000;
const PATIENCE = 5; // what every limit is multiplied with: for machines with much else to do
const PEOPLE = { '/authorize': 'alice@example.com', '/web/v1/login': 'alice' }; // where no handle is typed

export async function read(path) {
  const [header, ...steps] = (await readFile(path, 'utf8')).split('\n').map((line, index) => {
    return line.trim() === '' ? undefined : { number: index + 1, ...JSON.parse(line) };
  });
  return { ...header, steps: steps.filter(Boolean) };
}

/** One run of one transcript; its core works in `folder`. */
export class TranscriptRun {
  #values = {};
  #handle = 'alice.test';
  #page; // of the last `auth.present`
  #requests = 0;

  constructor(program, transcript, folder) {
    Object.assign(this, { program, transcript, folder });
  }

  async run() {
    this.#start();
    try {
      for (const step of this.transcript.steps) await this.#perform(step);
      await this.#stop('eof');
    } finally {
      this.child.kill('SIGKILL');
    }
  }

  #start() {
    const { args = [] } = this.transcript.core ?? {};
    const restarts = this.transcript.steps.some((step) => step.restart !== undefined);
    const data = restarts ? ['--data-dir', `${this.folder}/data`] : [];
    const env = { ...process.env, HOME: this.folder, XDG_DATA_HOME: this.folder };
    this.child = spawn(this.program, ['--stdio', ...args, ...data], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    this.child.stdin.on('error', () => {}); // a core that has ended is what the next step finds out
    this.inbox = new Inbox(this.child.stdout);
    this.ended = once(this.child, 'exit');
  }

  async #perform(step) {
    try {
      if (step.send) await this.#send(step.send);
      else if (step.answer) await this.#answer(step.answer);
      else if (step.expect) await this.#expect(step);
      else if (step.wait) await this.#wait(step);
      else if (step.never) await this.#never(step);
      else if (step.advance !== undefined) await this.#ask('$/test/advance', { ms: step.advance });
      else if (step.fault) await this.#fault(step);
      else if (step.raw !== undefined) this.child.stdin.write(bytes(step.raw));
      else if (step.restart) await this.#restart(step.restart);
      else if (step.end) await this.#end(step.end, step.within);
      if (this.inbox.fault !== undefined) throw this.inbox.fault;
    } catch (error) {
      error.message = `line ${step.number}: ${error.message}`;
      throw error;
    }
  }

  // Speaking

  async #send(message) {
    const filled = await this.#filled(message);
    if (filled.method === 'login.submitHandle') this.#handle = filled.params.handle;
    this.#write(filled);
  }

  async #answer(message) {
    const filled = await this.#filled(message);
    this.#write(filled);
    // Where the core itself waits for the callback, the browser brings it there.
    if (this.#page?.via === 'core' && filled.result?.outcome === 'presented') await this.#walk('callbackUrl');
  }

  #write(message) {
    this.child.stdin.write(encode({ jsonrpc: '2.0', ...message }));
  }

  /** A request of the runner's own; its answer is no part of the transcript. */
  async #ask(method, params) {
    this.#requests += 1;
    const id = `runner-${this.#requests}`;
    this.#write({ id, method, params });
    const answer = await this.inbox.look(USUAL_END_MS * PATIENCE, () => this.inbox.own.get(id));
    if (answer === undefined || answer.error) throw new Error(`${method}: ${JSON.stringify(answer?.error ?? 'no answer')}`);
  }

  async #fault({ fault, on = true, ms }) {
    if (fault === 'peer.stopReading') this.child.stdout[on ? 'pause' : 'resume']();
    else if (fault === 'peer.kill') [this.child.stdin, this.child.stdout].forEach((pipe) => pipe.destroy());
    else await this.#ask('$/test/fault', { fault, on, ms });
  }

  async #filled(value) {
    if (Array.isArray(value)) return Promise.all(value.map((element) => this.#filled(element)));
    if (isObject(value)) {
      const { $use, ...members } = value;
      const entries = [];
      for (const [name, member] of Object.entries(members)) entries.push([name, await this.#filled(member)]);
      const filled = Object.fromEntries(entries);
      return $use === undefined ? filled : mergePatch(PRESETS[$use], filled);
    }
    const [, kind, rest] = /^\$(\$|var:|secret:|private:)(.*)$/s.exec(value) ?? [];
    if (kind === 'var:') return this.#values[rest];
    if (kind === 'secret:') return this.#walk(rest);
    if (kind === 'private:') return photograph(this.folder);
    return kind === '$' ? `$${rest}` : value;
  }

  /** Where the sign-in pages lead somebody who agrees, denies, or leaves. */
  async #walk(secret) {
    const wish = { callbackUrl: 'agree', deniedCallbackUrl: 'deny', cancelledCallbackUrl: 'cancel' }[secret];
    // Pixiv's own pages pass a code on between them.
    const isEnd = (url) => /[?&](code|error)=/.test(url) && !url.includes('/web/v1/');
    const name = PEOPLE[new URL(this.#page.url).pathname] ?? this.#handle;
    return walk(this.#page.url, isEnd, { name, wish });
  }

  // Listening

  async #expect({ expect, strict = false, within = USUAL_WAIT_MS, as = {} }) {
    const found = await this.inbox.look(within * PATIENCE, () => {
      for (const [index, message] of this.inbox.pending.entries()) {
        const difference = mismatch(expect, message, this.#values);
        if (difference === undefined) {
          this.inbox.pending.splice(0, index + 1);
          return message;
        }
        const isState = ['models/snapshot', '$/progress', '$/cancelRequest'].includes(message.method);
        if (strict || !isState) throw new Error(`another message came: ${difference}`);
      }
      return undefined;
    });
    if (found === undefined) throw new Error(`nothing came like ${JSON.stringify(expect)}`);
    if (found.method === 'effects/perform' && found.params.args.url) {
      this.#page = { url: found.params.args.url, via: found.params.args.callback?.via };
    }
    this.#keep(as, found);
  }

  #keep(as, value) {
    for (const [name, pointer] of Object.entries(as)) {
      this.#values[name] = pointer.split('/').slice(1).reduce((inner, key) => inner[key], value);
    }
  }

  async #wait({ wait: { model, subscription, where }, within = USUAL_WAIT_MS, as = {} }) {
    let difference;
    const state = await this.inbox.look(within * PATIENCE, () => {
      const held = this.inbox.state(model, subscription);
      difference = held === undefined ? 'it is not subscribed to' : mismatch(where, held, this.#values);
      return difference === undefined ? held : undefined;
    });
    if (state === undefined) throw new Error(`${model}: ${difference}`);
    this.#keep(as, state);
  }

  async #never({ never, for: time = 200 }) {
    const came = await this.inbox.look(time, () => {
      return this.inbox.pending.find((message) => mismatch(never, message, this.#values) === undefined);
    });
    if (came !== undefined) throw new Error(`this came, which must not: ${JSON.stringify(came)}`);
  }

  // Ending

  async #restart({ signal }) {
    if (signal !== undefined) this.child.kill(`SIG${signal}`);
    await this.#stop('eof');
    this.#page = undefined;
    this.#start();
  }

  async #end({ by = 'shutdown', exitCode = 0 }, within) {
    const code = await this.#stop(by, within);
    const wanted = by === 'KILL' ? 'SIGKILL' : exitCode;
    if (code !== wanted) throw new Error(`the core ended with ${code}, not with ${wanted}`);
  }

  /** Ends the core; gives its exit code, or the signal that ended it. */
  async #stop(by, within = USUAL_END_MS) {
    if (by === 'shutdown') await this.#ask('shutdown', {}).catch(() => {}); // one that has not begun refuses it
    if (by === 'shutdown' || by === 'exit') this.#write({ method: 'exit' });
    if (['TERM', 'HUP', 'KILL'].includes(by)) this.child.kill(`SIG${by}`);
    if (!['TERM', 'HUP', 'itself'].includes(by)) this.child.stdin.end();
    const timer = setTimeout(() => this.child.kill('SIGABRT'), within * PATIENCE);
    const [code, signal] = await this.ended;
    clearTimeout(timer);
    return code ?? signal;
  }
}

/** What has come from a core: messages nobody has taken yet, and the states they bring. */
class Inbox {
  pending = [];
  own = new Map(); // answers to the runner's own requests
  fault;
  #subscriptions = new Map();
  #isOver = false;
  #wake = () => {};

  constructor(output) {
    let splitter;
    output.on('data', (chunk) => {
      splitter ??= new MessageSplitter(chunk[0] === 0x43 ? 'headers' : 'lines'); // as the core was spoken to
      try {
        for (const message of splitter.feed(chunk)) this.#take(message);
      } catch (error) {
        this.fault = error;
      }
      this.#wake();
    });
    output.on('close', () => {
      this.#isOver = true;
      this.#wake();
    });
  }

  /** Looks now and after everything that comes, until there is something or the time is up. */
  async look(within, find) {
    const end = performance.now() + within;
    for (;;) {
      const found = find();
      const left = end - performance.now();
      if (found !== undefined || this.#isOver || this.fault !== undefined || left <= 0) return found;
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => (clearTimeout(timer), resolve());
      });
    }
  }

  /** The state of a model: of that subscription, or of the newest that shows it. */
  state(model, id) {
    const shown = [...this.#subscriptions.values()].filter((held) => held.model === model && held.id === (id ?? held.id));
    return shown.at(-1)?.state;
  }

  #take(message) {
    const { method, params } = message;
    if (method === undefined && String(message.id).startsWith('runner-')) return this.own.set(message.id, message);
    if (method === 'models/closed') this.#subscriptions.delete(params.subscription);
    if (method === 'models/snapshot') this.#apply(params);
    return this.pending.push(message);
  }

  #apply(params) {
    const { subscription: id, model, revision } = params;
    const held = this.#subscriptions.get(id) ?? new Subscription(id, model);
    if (params.base !== undefined && revision <= held.revision) throw new Error(`revision ${revision} of ${id} came late`);
    if (!held.apply(params)) throw new Error(`revision ${revision} of ${id} does not continue what is held`);
    this.#subscriptions.set(id, held);
  }
}

/** Bytes as a transcript writes them: text, {text, times}, {hex, times}, or a list of these. */
function bytes(value) {
  if (typeof value === 'string') return Buffer.from(value);
  if (Array.isArray(value)) return Buffer.concat(value.map(bytes));
  const { text, hex, times = 1 } = value;
  const once = text === undefined ? Buffer.from(hex.replaceAll(' ', ''), 'hex') : Buffer.from(text);
  return Buffer.concat(Array(times).fill(once));
}

const PRESETS = {
  'initialize.default': {
    protocolVersions: [1],
    client: { name: 'transcript', version: '1' },
    capabilities: {
      delivery: ['merge', 'full'],
      progress: true,
      effects: {
        'auth.present': { version: 1, presentations: ['webview'] },
        'url.open': { version: 1 },
        'scheme.register': { version: 1 },
        'files.pick': { version: 1 },
        'notification.show': { version: 1 },
        'notification.close': { version: 1 },
        'keyring.unlock': { version: 1 },
        'clipboard.write': { version: 1 },
      },
    },
    models: [
      { model: 'login', schemas: ['v1/models/login.json'] },
      { model: 'accounts', schemas: ['v1/models/accounts.json'] },
      { model: 'drafts', schemas: ['v1/models/drafts.json'] },
      { model: 'devices', schemas: ['v1/models/devices.json'] },
      { model: 'galleryPublish', schemas: ['v1/models/gallery-publish.json'] },
    ],
  },
};
