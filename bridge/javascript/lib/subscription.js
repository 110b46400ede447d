// One model instance, as the core last showed it.

import { abortable } from './abortable.js';
import { ProtocolError, SubscriptionClosed } from './errors.js';
import { mergePatch, stateDigest } from './merge.js';

/**
 * Holds the latest state of one model instance: `for await (const state of subscription)`.
 * States are replaced, never changed in place. A reader that is slow gets the newest, as a screen does.
 */
export class Subscription {
  #changed = deferred();
  #shown = 0; // how many states readers were told of
  #over; // a SubscriptionClosed, or what ended the session
  #isResyncing = false;

  /** Use `Client.subscribe`, which also tells the core. */
  constructor(id, model, onChange, onClosed) {
    this.id = id;
    this.model = model;
    this.onChange = onChange;
    this.onClosed = onClosed;
    this.state = undefined;
    this.revision = 0;
    this.closed = undefined;
  }

  /** Each state from now on, the present one first, until the instance or the session ends. */
  async *[Symbol.asyncIterator]() {
    yield* this.#states();
  }

  /** The first state from now on, the present one included, that meets a condition. */
  async until(meets = () => true, { signal } = {}) {
    for await (const state of this.#states(signal)) if (meets(state)) return state;
    throw this.#over;
  }

  async *#states(signal) {
    for (let seen = 0; ; ) {
      const { promise } = this.#changed;
      if (seen !== this.#shown) {
        seen = this.#shown;
        yield this.state;
      } else if (this.#over === undefined) {
        await abortable(promise, signal);
      } else if (this.#over instanceof SubscriptionClosed) {
        return;
      } else {
        throw this.#over;
      }
    }
  }

  // What follows is for the client.

  /** Takes a `models/snapshot`; false if it does not continue what is held. */
  apply(params) {
    const isWhole = params.state !== undefined;
    if (!isWhole && (this.state === undefined || params.base !== this.revision)) return false;
    const state = isWhole ? params.state : mergePatch(this.state, params.merge);
    if (params.digest !== undefined && params.digest !== stateDigest(state)) {
      if (isWhole) throw new ProtocolError(`the state of ${this.model} is not that of its digest`);
      return false;
    }
    this.state = state;
    this.revision = params.revision;
    if (isWhole) this.#isResyncing = false;
    return true;
  }

  /** Whether a whole state has to be asked for now: none is on its way already. */
  beginsResync() {
    if (this.#isResyncing || this.#over !== undefined) return false;
    this.#isResyncing = true;
    return true;
  }

  /** No whole state is on its way: the next message that does not fit asks again. */
  resyncFailed() {
    this.#isResyncing = false;
  }

  /** Tells readers of the state that is held; once a frame. */
  show() {
    this.#shown += 1;
    this.#wake();
    this.onChange?.(this.state);
  }

  /** Ends it: with a SubscriptionClosed quietly, with anything else as an error for readers. */
  end(error) {
    if (this.#over !== undefined) return;
    this.#over = error;
    if (error instanceof SubscriptionClosed) this.closed = error;
    this.#wake();
  }

  #wake() {
    this.#changed.resolve();
    this.#changed = deferred();
  }
}

function deferred() {
  let resolve;
  const promise = new Promise((take) => (resolve = take));
  return { promise, resolve };
}
