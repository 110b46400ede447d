// What can go wrong between a shell and its core. Programs switch on `kind`; people read `words`.

/** The core refused a request, or an operation failed (bridge-protocol §7). */
export class Problem extends Error {
  constructor(code, data = {}) {
    const message = data.message ?? {};
    const kind = data.kind ?? 'unknown';
    const words = message.fallback ?? 'Something went wrong.';
    super(`${kind}: ${words}`);
    this.name = 'Problem';
    this.code = code;
    this.kind = kind;
    this.retryable = data.retryable ?? false;
    this.key = message.key ?? kind;
    this.params = message.params ?? {};
    this.words = words;
    this.field = data.field;
    this.retryAfterMs = data.retryAfterMs;
    this.details = data.details ?? {};
    this.cause = data.cause;
  }

  /** From a `problem` member of a state or of `operations/ended`. */
  static fromState(problem) {
    return new Problem(problem?.code ?? 0, problem ?? {});
  }

  /** From a JSON-RPC error object. */
  static fromError(error) {
    return new Problem(error.code ?? 0, error.data ?? {});
  }
}

/** An operation ended because somebody stopped it; nothing went wrong. */
export class OperationCancelled extends Error {
  constructor(operation) {
    super(`${operation} was cancelled`);
    this.name = 'OperationCancelled';
    this.operation = operation;
  }
}

/** The model instance has ended, and its subscription with it. */
export class SubscriptionClosed extends Error {
  constructor(reason, problem) {
    super(problem?.words ?? `the subscription ended: ${reason}`);
    this.name = 'SubscriptionClosed';
    this.reason = reason;
    this.problem = problem;
  }
}

/** One side sent what the protocol does not allow: a bug, not something a person did. */
export class ProtocolError extends Error {
  constructor(words, options) {
    super(words, options);
    this.name = 'ProtocolError';
  }
}

// What the core's exit codes say (bridge-protocol §3.3).
const MEANINGS = new Map([
  [0, 'it ended in order'],
  [1, 'it failed; its log says why'],
  [64, 'its command line is wrong'],
  [65, 'it lost track of where messages begin'],
  [69, 'something it needs is not available'],
  [70, 'a fault of its own'],
  [75, 'nobody read what it wrote'],
  [143, 'it was told twice to end'],
]);

/** The core has ended, or could not be started. */
export class CoreGone extends Error {
  constructor(words, { exitCode, signal, lastLog = [], cause } = {}) {
    super(words, cause === undefined ? undefined : { cause });
    this.name = 'CoreGone';
    this.exitCode = exitCode;
    this.signal = signal;
    this.lastLog = lastLog;
  }

  /** The words for a process that ended with this code, or by this signal. */
  static ended(exitCode, signal, lastLog) {
    if (exitCode === null || exitCode === undefined) {
      const words = signal ? `The core has ended: killed by ${signal}.` : 'The core has ended.';
      return new CoreGone(words, { signal: signal ?? undefined, lastLog });
    }
    const meaning = MEANINGS.get(exitCode) ?? 'no code of its own';
    return new CoreGone(`The core has ended (exit ${exitCode}): ${meaning}.`, { exitCode, lastLog });
  }
}
