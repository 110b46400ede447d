// What `index.js` offers. See README.md for a first shell.

/** Where the core's messages come from: a stream of bytes, such as a `stream.Readable`. */
export interface Input {
  on(event: string, listener: (...values: any[]) => void): unknown;
}

/** Where messages to the core go, such as a `stream.Writable`. */
export interface Output extends Input {
  write(bytes: Uint8Array): unknown;
  end(): unknown;
}

/** What a model shows: every state has these, plus its own members. */
export interface State {
  readonly status: 'idle' | 'busy' | 'waiting' | 'failed' | 'done';
  readonly phase: string;
  readonly can: readonly string[];
  readonly [member: string]: any;
}

/** The core's yes to an intent. */
export interface Verdict {
  accepted: true;
  joined?: true;
  operation?: string;
  revisions: Record<string, number>;
  [member: string]: any;
}

/** The params of `operations/ended`. */
export interface Ending {
  operation?: string;
  intent?: string;
  outcome: 'succeeded' | 'failed' | 'cancelled';
  revisions: Record<string, number>;
  [member: string]: any;
}

/** The params of `$/progress`. */
export interface Progress {
  token: string;
  value: { done: number; total: number; unit: string };
}

/** One request of the core for what only a shell can do, open until its handler's promise settles. */
export interface Effect {
  name: string;
  args: Record<string, any>;
  operation?: string;
  /** Aborted when the core needs no answer any more, or is gone; return soon then. */
  signal: AbortSignal;
}

/** The outcome, or a whole result that has one. */
export type Outcome = string | { outcome: string; [member: string]: any };

export interface SpawnOptions {
  /** Replaces this process's environment. */
  env?: Record<string, string | undefined>;
  /** Gets each line the core logs; without it they are read and the last 50 kept for CoreGone. */
  onLog?: (line: string) => void;
  framing?: Framing;
}

export type Framing = 'lines' | 'headers';

/** One session with one core. */
export class Client {
  /** Talks over two streams, the core's output and its input; see `spawn`. */
  constructor(input: Input, output: Output, options?: { framing?: Framing });

  /** Starts a core and talks to it. That it cannot be started is told by the first call. */
  static spawn(command?: readonly string[], options?: SpawnOptions): Client;

  /** Resolves, and never rejects, with what ended the session. */
  readonly ended: Promise<CoreGone>;

  /** Offers an effect, before `initialize`. `declaration` is what the capability says, such as `presentations`. */
  onEffect(
    name: string,
    handler: (effect: Effect) => Outcome | Promise<Outcome>,
    declaration?: { version?: number; presentations?: string[] },
  ): void;

  /** Opens the session; gives what the core is and can do. Rejects with Problem, such as `store.locked`. */
  initialize(options: {
    name: string;
    version: string;
    models?: readonly string[];
    /** BCP 47, such as `de-DE`. */
    locale?: string;
    onEnded?: (ending: Ending) => void;
    /** Also asks the core for progress. */
    onProgress?: (progress: Progress) => void;
    signal?: AbortSignal;
  }): Promise<any>;

  /**
   * Sends a request and gives its answer: an intent's verdict, a method's result. Requests beyond what
   * the core takes at once are held back. Rejects with Problem (refused), CoreGone, RangeError (not
   * sent: the core could not read it), or the signal's reason.
   */
  call(method: string, params?: Record<string, unknown>, options?: { signal?: AbortSignal }): Promise<Verdict & any>;

  /** Opens a subscription; gives it once its first state is there. */
  subscribe(
    model: string,
    options?: {
      /** Selects the instance of a parametrised model. */
      args?: Record<string, string>;
      /** Gets the state of every frame in order, the first included. */
      onChange?: (state: State) => void;
      delivery?: 'merge' | 'full';
      maxRateHz?: number;
      signal?: AbortSignal;
    },
  ): Promise<Subscription>;

  /** Ends a subscription; no state follows. */
  unsubscribe(subscription: Subscription): Promise<void>;

  /** Reads a model once. */
  get(model: string, args?: Record<string, string>): Promise<State>;

  /** Waits for the end of an operation: its id, or the verdict that named it. Rejects with Problem, OperationCancelled or CoreGone. */
  finish(operation: string | Verdict, options?: { signal?: AbortSignal }): Promise<Ending>;

  /** Shuts the core down in order; gives the exit code of one that was spawned. One that does not end in time is ended. */
  close(options?: { patience?: number }): Promise<number | undefined>;
}

/** One model instance, as the core last showed it. States are replaced, never changed in place. */
export interface Subscription extends AsyncIterable<State> {
  readonly id: string;
  readonly model: string;
  readonly state: State;
  readonly revision: number;
  /** Set once the instance has ended. */
  readonly closed: SubscriptionClosed | undefined;
  /** The first state from now on, the present one included, that meets a condition. */
  until(meets?: (state: State) => unknown, options?: { signal?: AbortSignal }): Promise<State>;
}

/** The core refused a request, or an operation failed. Programs switch on `kind`, people read `words`. */
export class Problem extends Error {
  code: number;
  kind: string;
  retryable: boolean;
  /** Name of the sentence in a shell's catalogue, and what it mentions. */
  key: string;
  params: Record<string, unknown>;
  /** The sentence in English. */
  words: string;
  /** JSON Pointer of the parameter at fault. */
  field?: string;
  retryAfterMs?: number;
  details: Record<string, any>;
  cause?: string;
  static fromState(problem: object): Problem;
}

/** An operation ended because somebody stopped it; nothing went wrong. */
export class OperationCancelled extends Error {
  operation: string;
}

/** The model instance has ended: `gone`, `signedOut`, `tooLarge`, `internal`, or `unsubscribed` by the shell. */
export class SubscriptionClosed extends Error {
  reason: string;
  problem?: Problem;
}

/** One side sent what the protocol does not allow: a bug, not something a person did. */
export class ProtocolError extends Error {}

/** The core has ended, or could not be started; the message says what the exit code means. */
export class CoreGone extends Error {
  exitCode?: number;
  signal?: string;
  /** The last lines of its log, newest last. */
  lastLog: string[];
}

/** Thrown by an effect's handler that could not do it. A person saying no is an outcome, not this. */
export class EffectFailed extends Error {
  constructor(kind?: 'effect.failed' | 'effect.denied' | 'effect.busy' | 'effect.unsupported');
  kind: string;
}

/** A message as bytes; throws RangeError for what the core could not read. */
export function encode(message: object, framing?: Framing, limit?: number): Uint8Array;

/** Cuts a stream of bytes into messages, wherever its chunks begin and end. */
export class MessageSplitter {
  constructor(framing?: Framing);
  feed(chunk: Uint8Array): Iterable<any>;
}

/** `target` after a JSON Merge Patch (RFC 7396); neither is changed. */
export function mergePatch(target: any, patch: any): any;

/** SHA-256 of a state's canonical text: what the test profile sends along. */
export function stateDigest(state: any): string;
