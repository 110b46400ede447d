// A core in the same process: a test says what it hears and what it answers.

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';

import { Client, encode, MessageSplitter } from '../index.js';

/** A client, and the core it talks to. `chunk` is how many bytes the core writes at a time. */
export function connected({ framing = 'lines', chunk = Infinity } = {}) {
  const core = new FakeCore(framing, chunk);
  return { core, client: new Client(core.output, core.input, { framing }) };
}

class FakeCore {
  input = new PassThrough();
  output = new PassThrough();
  heard = [];
  #unread = [];
  #arrived = () => {};

  constructor(framing, chunk) {
    this.framing = framing;
    this.chunk = chunk;
    const splitter = new MessageSplitter(framing);
    this.input.on('data', (bytes) => {
      for (const message of splitter.feed(bytes)) {
        this.heard.push(message);
        this.#unread.push(message);
      }
      this.#arrived();
    });
    this.input.on('end', () => this.#arrived());
  }

  /** The next message, which must have this method or these members. */
  async hear(expected) {
    while (this.#unread.length === 0 && !this.input.readableEnded) {
      await new Promise((resolve) => (this.#arrived = resolve));
    }
    const message = this.#unread.shift();
    assert.ok(message !== undefined, `the client sent nothing instead of ${JSON.stringify(expected)}`);
    if (typeof expected === 'string') assert.equal(message.method, expected);
    else assert.deepEqual({ ...message, ...expected }, message);
    return message;
  }

  /** Hears a request and answers it. */
  async serve(expected, result = {}) {
    const request = await this.hear(expected);
    this.answer(request, result);
    return request;
  }

  answer({ id }, result = {}) {
    this.say({ id, result });
  }

  refuse({ id }, code, kind, fallback = 'No.', data = {}) {
    const message = { key: kind, params: {}, fallback };
    this.say({ id, error: { code, message: 'for developers', data: { kind, retryable: false, message, ...data } } });
  }

  tell(method, params) {
    this.say({ method, params });
  }

  snapshot(members) {
    this.tell('models/snapshot', { model: 'login', schema: 'v1/models/login.json', frame: 1, causedBy: [], ...members });
  }

  say(message) {
    this.write(encode({ jsonrpc: '2.0', ...message }, this.framing));
  }

  write(bytes) {
    for (let at = 0; at < bytes.length; at += this.chunk) {
      this.output.write(bytes.subarray(at, Math.min(bytes.length, at + this.chunk)));
    }
  }

  /** Opens the session for `client.initialize`. */
  async open(maxInFlight = 64) {
    return this.serve('initialize', { protocolVersion: 1, limits: { maxInFlight } });
  }

  /** Opens a subscription and sends its first state; gives its id. */
  async opened(state, revision = 1) {
    const { params } = await this.serve('models/subscribe');
    this.snapshot({ subscription: params.subscription, revision, state });
    return params.subscription;
  }

  end() {
    this.output.end();
  }
}
