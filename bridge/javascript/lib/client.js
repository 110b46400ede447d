// The client: a session with a core, its models, its effects, its operations.

import { abortable } from './abortable.js';
import { Connection } from './connection.js';
import { failed, perform, unknownMethod } from './effects.js';
import { CoreGone, OperationCancelled, Problem, SubscriptionClosed } from './errors.js';
import { CoreProcess } from './process.js';
import { Subscription } from './subscription.js';

const ALL_MODELS = ['login', 'accounts', 'drafts', 'galleryPublish'];
const KEPT_ENDINGS = 1000;

export class Client {
  #connection;
  #process;
  #subscriptions = new Map();
  #lastSubscription = 0;
  #changed = new Set(); // subscriptions whose frame is not complete yet
  #handlers = new Map();
  #declared = {};
  #effects = new Map();
  #endings = new Map();
  #finishing = new Map();
  #options = {};
  #closing;

  /** Resolves, and never rejects, with the CoreGone that ended the session. */
  ended;

  /** Talks over two streams, the core's output and its input; see `Client.spawn`. */
  constructor(input, output, { framing = 'lines', process: child } = {}) {
    this.#process = child;
    this.ended = new Promise((resolve) => {
      this.#connection = new Connection(input, output, framing, {
        onMessage: (message) => this.#take(message),
        onGone: (gone) => (this.#gone(gone), resolve(gone)),
      });
    });
    if (child !== undefined) child.ended.then((gone) => this.#connection.end(gone));
    else input.on('close', () => this.#connection.end(new CoreGone('The core has ended.')));
  }

  /** Starts a core and talks to it. That it cannot be started is told by the first call. */
  static spawn(command = ['grain-core', '--stdio'], { env, onLog, framing } = {}) {
    const child = new CoreProcess(command, { env, onLog });
    return new Client(child.output, child.input, { framing, process: child });
  }

  // The session

  /** Offers an effect, before `initialize`. The handler gives the outcome, or a whole result. */
  onEffect(name, handler, { version = 1, ...declaration } = {}) {
    this.#handlers.set(name, handler);
    this.#declared[name] = { version, ...declaration };
  }

  /** Opens the session; gives what the core is and can do. */
  async initialize({ name, version, models = ALL_MODELS, locale, onEnded, onProgress, signal }) {
    this.#options = { onEnded, onProgress };
    const params = {
      protocolVersions: [1],
      client: { name, version, processId: process.pid, locale },
      capabilities: { delivery: ['merge', 'full'], progress: onProgress !== undefined, effects: this.#declared },
      models: models.map((model) => ({ model, schemas: [schema(model)] })),
    };
    const result = await this.call('initialize', params, { signal });
    this.#connection.setLimit(result.limits.maxInFlight);
    return result;
  }

  /** Sends a request and gives its answer: an intent's verdict, a method's result. */
  call(method, params = {}, { signal } = {}) {
    return this.#connection.call(method, params, signal);
  }

  // Models

  /** Opens a subscription; gives it once its first state is there. */
  async subscribe(model, { args, onChange, onClosed, delivery = 'merge', maxRateHz = 30, signal } = {}) {
    this.#lastSubscription += 1;
    const id = `${model}.${this.#lastSubscription}`;
    const subscription = new Subscription(id, model, onChange, onClosed);
    this.#subscriptions.set(id, subscription); // first: a snapshot may come right behind the answer
    try {
      const params = { subscription: id, model, args, delivery, maxRateHz };
      await this.call('models/subscribe', params, { signal });
      await subscription.until(undefined, { signal });
    } catch (error) {
      if (this.#subscriptions.delete(id) && signal?.aborted) {
        this.call('models/unsubscribe', { subscription: id }).catch(() => {}); // it may be open by now
      }
      throw error;
    }
    return subscription;
  }

  /** Ends a subscription; no state follows. One that is over already stays so. */
  async unsubscribe(subscription) {
    if (!this.#subscriptions.delete(subscription.id)) return;
    this.#changed.delete(subscription);
    subscription.end(new SubscriptionClosed('unsubscribed'));
    await this.call('models/unsubscribe', { subscription: subscription.id }).catch((error) => {
      if (error.kind !== 'protocol.unknownSubscription') throw error; // the core has just ended it itself
    });
  }

  /** Reads a model once. */
  async get(model, args) {
    return (await this.call('models/get', { model, args })).state;
  }

  // Operations

  /** Waits for the end of an operation: its id, or the verdict that named it. */
  async finish(operation, { signal } = {}) {
    const id = typeof operation === 'string' ? operation : operation.operation;
    if (id === undefined) return { outcome: 'succeeded', revisions: operation.revisions ?? {} };
    const ending = this.#endings.get(id) ?? (await abortable(this.#ending(id), signal));
    if (ending.outcome === 'failed') throw Problem.fromState(ending.problem);
    if (ending.outcome === 'cancelled') throw new OperationCancelled(id);
    return ending;
  }

  /** Shuts the core down in order; gives the exit code of one that was spawned. May be called again. */
  close(options) {
    return (this.#closing ??= this.#close(options));
  }

  async #close({ patience = 5000 } = {}) {
    try {
      await this.call('shutdown', {}, { signal: AbortSignal.timeout(patience) });
      this.#connection.write({ method: 'exit', params: {} });
    } catch {
      // closing its input says the same
    }
    this.#connection.closeInput();
    if (this.#process !== undefined) return (await this.#process.end(patience)).exitCode;
    const timer = setTimeout(() => this.#connection.destroy(), patience);
    await this.ended;
    clearTimeout(timer);
    this.#connection.destroy();
  }

  // What the core sends on its own

  #take({ id, method, params = {} }) {
    if (method === 'models/snapshot') this.#snapshot(params);
    else if (method === 'models/closed') this.#closed(params);
    else if (method === 'operations/ended') this.#operationEnded(params);
    else if (method === '$/progress') this.#tell(this.#options.onProgress, params);
    else if (method === '$/cancelRequest') this.#effects.get(params.id)?.abort();
    else if (method === 'effects/perform') this.#perform(id, params);
    else if (id !== undefined) this.#connection.write({ id, ...unknownMethod(method) });
  }

  #snapshot(params) {
    const subscription = this.#subscriptions.get(params.subscription);
    if (subscription?.apply(params)) {
      this.#changed.add(subscription);
    } else if (subscription?.beginsResync()) {
      this.#resync(subscription);
    }
    if (!params.more) this.#show();
  }

  #resync(subscription) {
    this.call('models/resync', { subscription: subscription.id }).catch((error) => {
      subscription.resyncFailed();
      if (!error.retryable) return; // closed or gone by now: readers are told
      const again = () => subscription.beginsResync() && this.#resync(subscription);
      setTimeout(again, error.retryAfterMs ?? 250).unref?.();
    });
  }

  /** Tells the readers of a complete frame: all they see is of one instant. */
  #show() {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const subscription of changed) this.#tell(() => subscription.show());
  }

  #closed({ subscription: id, reason, problem }) {
    const subscription = this.#subscriptions.get(id);
    this.#subscriptions.delete(id);
    if (subscription === undefined) return;
    const closed = new SubscriptionClosed(reason, problem && Problem.fromState(problem));
    subscription.end(closed);
    this.#tell(subscription.onClosed, closed);
  }

  #operationEnded(params) {
    this.#endings.set(params.operation, params);
    if (this.#endings.size > KEPT_ENDINGS) this.#endings.delete(this.#endings.keys().next().value);
    this.#finishing.get(params.operation)?.forEach(({ resolve }) => resolve(params));
    this.#finishing.delete(params.operation);
    this.#tell(this.#options.onEnded, params);
  }

  #ending(id) {
    if (this.#connection.gone !== undefined) return Promise.reject(this.#connection.gone);
    return new Promise((resolve, reject) => {
      this.#finishing.set(id, [...(this.#finishing.get(id) ?? []), { resolve, reject }]);
    });
  }

  async #perform(id, params) {
    const controller = new AbortController();
    this.#effects.set(id, controller);
    const { effect: name, args = {}, operation } = params;
    const answer = await perform({ name, args, operation, signal: controller.signal }, this.#handlers.get(name));
    this.#effects.delete(id);
    try {
      this.#connection.write({ id, ...answer });
    } catch (error) {
      this.#connection.write({ id, ...failed(error) }); // an answer the core could not read
    }
  }

  #gone(gone) {
    this.#show();
    for (const subscription of this.#subscriptions.values()) subscription.end(gone);
    for (const waiting of this.#finishing.values()) waiting.forEach(({ reject }) => reject(gone));
    for (const controller of this.#effects.values()) controller.abort();
  }

  /** Runs a shell's callback: what it throws is the shell's own fault and ends no session. */
  #tell(callback, value) {
    try {
      callback?.(value);
    } catch (error) {
      queueMicrotask(() => { throw error; });
    }
  }
}

/** `galleryPublish` has its schema in `v1/models/gallery-publish.json`. */
function schema(model) {
  return `v1/models/${model.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}.json`;
}
