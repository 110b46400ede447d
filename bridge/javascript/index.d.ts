// What `index.js` offers, typed by the schemas. See README.md for a first shell.

import type {
  AuthPresentArgs,
  Effects,
  EndedParams,
  ErrorKind,
  InitializeResult,
  Intents,
  IntentVerdict,
  JsonObject,
  Models,
  Problem as ProblemState,
  ProgressParams,
  Requests,
} from './grain-core.js';

export * from './grain-core.js'; // types only: states, params, results
export type { ProblemState };

/** Where the core's messages come from: a stream of bytes, such as a `stream.Readable`. */
export interface Input {
  on(event: string, listener: (...values: any[]) => void): unknown;
}

/** Where messages to the core go, such as a `stream.Writable`. */
export interface Output extends Input {
  write(bytes: Uint8Array): unknown;
  end(): unknown;
}

/** What can be called: the intents, and the protocol's own requests. */
export type Calls = Intents & Requests;

/** Trailing parameters: the params of a call may be left out where none of them is required. */
type With<Params, Options> = {} extends Params ? [params?: Params, options?: Options] : [params: Params, options?: Options];

/** One request of the core for what only a shell can do, open until its handler's promise settles. */
export interface Effect<Name extends keyof Effects = keyof Effects> {
  name: Name;
  args: Effects[Name]['args'];
  operation?: string;
  /** Aborted when the core needs no answer any more, or is gone; return soon then. */
  signal: AbortSignal;
}

/** The outcome, or a whole result that has one. */
export type Outcome<Name extends keyof Effects> = Effects[Name]['result'] | SoleOutcome<Effects[Name]['result']>;

/** An outcome that says everything: that of a result which needs no other member. */
type SoleOutcome<Result> = Result extends { outcome: infer Name } ? ({ outcome: Name } extends Result ? Name : never) : never;

/** What `finish` gives for a verdict without an operation: it was done at once. */
export type Ending = EndedParams | { outcome: 'succeeded'; revisions: Record<string, number> };

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
  onEffect<Name extends keyof Effects>(
    name: Name,
    handler: (effect: Effect<Name>) => Outcome<Name> | Promise<Outcome<Name>>,
    declaration?: { version?: number; presentations?: AuthPresentArgs['presentation'][] },
  ): void;

  /** Opens the session; gives what the core is and can do. Rejects with Problem, such as `store.locked`. */
  initialize(options: {
    name: string;
    version: string;
    /** All that a core of this version serves, if left out. */
    models?: readonly (keyof Models)[];
    /** BCP 47, such as `de-DE`. */
    locale?: string;
    onEnded?: (ending: EndedParams) => void;
    /** Also asks the core for progress. */
    onProgress?: (progress: ProgressParams) => void;
    signal?: AbortSignal;
  }): Promise<InitializeResult>;

  /**
   * Sends a request and gives its answer: an intent's verdict, a method's result. Requests beyond what
   * the core takes at once are held back. Rejects with Problem (refused), CoreGone, RangeError (not
   * sent: the core could not read it), or the signal's reason.
   */
  call<Method extends keyof Calls>(
    method: Method,
    ...rest: With<Calls[Method]['params'], { signal?: AbortSignal }>
  ): Promise<Calls[Method]['result']>;

  /** Opens a subscription; gives it once its first state is there. `args` selects the instance of a model that has several. */
  subscribe<Model extends keyof Models>(
    model: Model,
    ...rest: {} extends Models[Model]['args']
      ? [options?: SubscribeOptions<Model>]
      : [options: SubscribeOptions<Model> & { args: Models[Model]['args'] }]
  ): Promise<Subscription<Model>>;

  /** Ends a subscription; no state follows. One that is over already stays so. */
  unsubscribe(subscription: Subscription<any>): Promise<void>;

  /** Reads a model once. */
  get<Model extends keyof Models>(
    model: Model,
    ...rest: {} extends Models[Model]['args'] ? [] : [args: Models[Model]['args']]
  ): Promise<Models[Model]['state']>;

  /** Waits for the end of an operation: its id, or the verdict that named it. Rejects with Problem, OperationCancelled or CoreGone. */
  finish(operation: string | IntentVerdict, options?: { signal?: AbortSignal }): Promise<Ending>;

  /** Shuts the core down in order; gives the exit code of one that was spawned. One that does not end in time is ended. May be called again. */
  close(options?: { patience?: number }): Promise<number | undefined>;
}

export interface SubscribeOptions<Model extends keyof Models> {
  /** Gets the state of every frame in order, the first included. */
  onChange?: (state: Models[Model]['state']) => void;
  /** Told once that the core has ended it, and why. */
  onClosed?: (closed: SubscriptionClosed) => void;
  delivery?: 'merge' | 'full';
  maxRateHz?: number;
  signal?: AbortSignal;
}

/** One model instance, as the core last showed it. States are replaced, never changed in place. */
export interface Subscription<Model extends keyof Models> extends AsyncIterable<Models[Model]['state']> {
  readonly id: string;
  readonly model: Model;
  readonly state: Models[Model]['state'];
  readonly revision: number;
  /** Set once the instance has ended. */
  readonly closed: SubscriptionClosed | undefined;
  /** The first state from now on, the present one included, that meets a condition. */
  until(
    meets?: (state: Models[Model]['state']) => unknown,
    options?: { signal?: AbortSignal },
  ): Promise<Models[Model]['state']>;
}

/** The core refused a request, or an operation failed. Programs switch on `kind`, people read `words`. */
export class Problem extends Error {
  code: number;
  kind: ErrorKind;
  retryable: boolean;
  /** Name of the sentence in a shell's catalogue, and what it mentions. */
  key: string;
  params: Record<string, string | number>;
  /** The sentence in English. */
  words: string;
  /** JSON Pointer of the parameter at fault. */
  field?: string;
  retryAfterMs?: number;
  details: JsonObject;
  cause?: ErrorKind;
  /** From the `problem` of a state. */
  static fromState(problem: ProblemState): Problem;
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
