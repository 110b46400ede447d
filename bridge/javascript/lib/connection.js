// Requests and answers over two streams: the part of a client that knows no method.

import { abortable } from './abortable.js';
import { CoreGone, Problem, ProtocolError } from './errors.js';
import { encode, MessageSplitter } from './framing.js';

const MOST_MESSAGE_BYTES = 1024 * 1024;
// What every core takes at once, until `initialize` says its own figure (bridge-protocol §8).
const MOST_IN_FLIGHT = 64;

export class Connection {
  #input;
  #output;
  #framing;
  #pending = new Map();
  #waiting = []; // requests held back: the core takes no more at the moment
  #limit = MOST_IN_FLIGHT;
  #lastId = 0;
  #onGone;
  gone; // what ended the session

  /** `onMessage` gets what is no answer; `onGone` is called once, when nothing more will come. */
  constructor(input, output, framing, { onMessage, onGone }) {
    this.#input = input;
    this.#output = output;
    this.#framing = framing;
    this.#onGone = onGone;
    const splitter = new MessageSplitter(framing);
    input.on('data', (chunk) => {
      try {
        if (this.gone !== undefined) return;
        for (const message of splitter.feed(chunk)) this.#take(message, onMessage);
      } catch (error) {
        const fault = error instanceof ProtocolError ? error : malformed(error);
        this.end(new CoreGone(`The session has ended: ${fault.message}.`, { cause: fault }));
      }
    });
    output.on('error', () => {}); // a core that is gone: the end of its output says so
  }

  setLimit(requests) {
    this.#limit = Math.max(1, requests);
    this.#release();
  }

  /** Sends a request and gives its result; rejects with Problem, CoreGone or the signal's reason. */
  async call(method, params, signal) {
    if (this.gone !== undefined) throw this.gone;
    signal?.throwIfAborted();
    this.#lastId += 1;
    const id = this.#lastId;
    const bytes = this.#encode({ jsonrpc: '2.0', id, method, params });
    const answer = new Promise((resolve, reject) => {
      this.#waiting.push({ id, bytes, resolve, reject });
    });
    this.#release();
    return abortable(answer, signal);
  }

  /** Sends a message that gets no answer; nobody is told if the core is gone. */
  write(message) {
    if (this.gone === undefined) this.#output.write(this.#encode({ jsonrpc: '2.0', ...message }));
  }

  /** Tells the core that nothing more will come. */
  closeInput() {
    this.#output.end();
  }

  /** Lets go of both streams, whatever the core does. */
  destroy() {
    this.#output.destroy();
    this.#input.destroy();
  }

  /** Ends the session on this side; everybody who waits is told. */
  end(gone) {
    if (this.gone !== undefined) return;
    this.gone = gone;
    this.#output.end(); // a core that still runs ends itself
    for (const { reject } of [...this.#pending.values(), ...this.#waiting]) reject(gone);
    this.#pending.clear();
    this.#waiting = [];
    this.#onGone(gone);
  }

  #encode(message) {
    return encode(message, this.#framing, MOST_MESSAGE_BYTES);
  }

  #release() {
    while (this.#waiting.length > 0 && this.#pending.size < this.#limit) {
      const request = this.#waiting.shift();
      this.#pending.set(request.id, request);
      this.#output.write(request.bytes);
    }
  }

  #take(message, onMessage) {
    if (typeof message.method === 'string') return onMessage(message);
    if (message.id === null && message.error !== undefined) {
      const { kind } = Problem.fromError(message.error); // one of our requests will never be answered
      throw new ProtocolError(`the core could not read a message (${kind})`);
    }
    const request = this.#pending.get(message.id);
    if (request === undefined) return;
    this.#pending.delete(message.id);
    if (message.error !== undefined) request.reject(Problem.fromError(message.error));
    else request.resolve(message.result ?? {});
    this.#release();
  }
}

function malformed(cause) {
  return new ProtocolError(`the core sent a malformed message (${cause.message})`, { cause });
}
