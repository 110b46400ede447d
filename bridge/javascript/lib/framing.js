// Messages to bytes, and bytes to messages (bridge-protocol §1).

import { Buffer } from 'node:buffer';

import { ProtocolError } from './errors.js';

const LINE_FEED = 0x0a;
const HEADER_END = Buffer.from('\r\n\r\n');
const MOST_HEADER_BYTES = 1024;
const MOST_NESTING = 64;
const MOST_STRING_BYTES = 256 * 1024;
const HALF_A_PAIR = /\p{Surrogate}/u;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * A message as bytes. What the core could not read is refused here, with a RangeError, because it
 * would be answered without an id, and the request would wait for ever.
 */
export function encode(message, framing = 'lines', limit = Infinity) {
  check(message, 1);
  // Two characters some readers take for the end of a line; the core escapes them as well.
  const text = JSON.stringify(message).replace(/[\u2028\u2029]/g, (c) => `\\u${c.charCodeAt().toString(16)}`);
  const body = Buffer.from(framing === 'lines' ? `${text}\n` : text);
  if (body.length > limit) throw new RangeError(`a message of ${body.length} bytes is more than the core takes`);
  if (framing === 'lines') return body;
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

function check(value, depth) {
  if (typeof value === 'string') {
    if (HALF_A_PAIR.test(value)) throw new RangeError('a text holds half of a surrogate pair');
    if (Buffer.byteLength(value) > MOST_STRING_BYTES) throw new RangeError('a text is longer than 256 KiB');
  } else if (typeof value === 'number') {
    const isUnsafe = Number.isInteger(value) && !Number.isSafeInteger(value);
    if (!Number.isFinite(value) || isUnsafe) throw new RangeError(`${value} is no number for a message`);
  } else if (value !== null && typeof value === 'object') {
    if (depth > MOST_NESTING) throw new RangeError('a message is nested deeper than 64');
    for (const [name, member] of Object.entries(value)) {
      check(name, depth);
      check(member, depth + 1);
    }
  }
}

/** Cuts a stream of bytes into messages, wherever its chunks begin and end. */
export class MessageSplitter {
  #framing;
  #chunks = [];
  #size = 0;
  #wanted; // bytes of the body that comes next, in header framing

  constructor(framing = 'lines') {
    this.#framing = framing;
  }

  /** The messages that are complete with this chunk; throws ProtocolError where there is none. */
  *feed(chunk) {
    for (let rest = chunk; rest.length > 0; ) {
      const body = this.#framing === 'lines' ? this.#line(rest) : this.#frame(rest);
      if (body === undefined) return;
      rest = body.rest;
      if (body.bytes !== undefined && !isBlank(body.bytes)) yield parse(body.bytes);
    }
  }

  /** The line this chunk completes. It is searched once, however small the chunks are. */
  #line(chunk) {
    const end = chunk.indexOf(LINE_FEED);
    if (end < 0) return this.#keep(chunk);
    return { bytes: this.#take(chunk.subarray(0, end)), rest: chunk.subarray(end + 1) };
  }

  #frame(chunk) {
    if (this.#wanted !== undefined) {
      const missing = this.#wanted - this.#size;
      if (chunk.length < missing) return this.#keep(chunk);
      this.#wanted = undefined;
      return { bytes: this.#take(chunk.subarray(0, missing)), rest: chunk.subarray(missing) };
    }
    const before = this.#size;
    const header = this.#take(chunk);
    const end = header.indexOf(HEADER_END);
    if (end > MOST_HEADER_BYTES || (end < 0 && header.length > MOST_HEADER_BYTES)) {
      throw new ProtocolError('the core wrote a header without an end');
    }
    if (end < 0) return this.#keep(header);
    const found = /^content-length: *(\d{1,8})$/im.exec(header.toString('latin1', 0, end).replaceAll('\r', ''));
    if (found === null) throw new ProtocolError('the core wrote a header without a length');
    this.#wanted = Number(found[1]);
    const rest = chunk.subarray(end + HEADER_END.length - before);
    return rest.length === 0 && this.#wanted > 0 ? undefined : { rest };
  }

  #keep(chunk) {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  #take(last) {
    const whole = this.#chunks.length === 0 ? last : Buffer.concat([...this.#chunks, last]);
    this.#chunks = [];
    this.#size = 0;
    return whole;
  }
}

function isBlank(bytes) {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

function parse(bytes) {
  let message;
  try {
    message = JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw new ProtocolError(`the core wrote what is not JSON: ${excerpt(bytes)}`, { cause });
  }
  if (message === null || typeof message !== 'object' || Array.isArray(message)) {
    throw new ProtocolError(`the core wrote what is not an object: ${excerpt(bytes)}`);
  }
  return message;
}

function excerpt(bytes) {
  return JSON.stringify(Buffer.from(bytes).toString('latin1', 0, 80));
}
