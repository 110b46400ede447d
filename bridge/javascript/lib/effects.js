// What only a shell can do, asked for by the core (bridge-protocol §6).

const ERRORS = new Map([
  ['effect.unsupported', [6001, false, 'This window cannot do that.']],
  ['effect.failed', [6002, true, 'That did not work on this computer. Try again.']],
  ['effect.denied', [6003, false, "This computer's settings do not allow that."]],
  ['effect.busy', [6004, true, 'Another window is waiting for you. Finish there first.']],
]);

/** Thrown by a handler that could not do it. A person saying no is an outcome, not this. */
export class EffectFailed extends Error {
  constructor(kind = 'effect.failed') {
    if (!ERRORS.has(kind)) throw new RangeError(`${kind} is no kind of effect error`);
    super(kind);
    this.name = 'EffectFailed';
    this.kind = kind;
  }
}

/** Runs the handler; the answer's `result` or `error` member comes back in any case. */
export async function perform(effect, handler) {
  if (handler === undefined) return { error: effectError('effect.unsupported', 'the shell has no handler for it') };
  try {
    const outcome = await handler(effect);
    if (typeof outcome === 'string') return { result: { outcome } };
    if (typeof outcome?.outcome === 'string') return { result: outcome };
    return { error: effectError('effect.failed', 'the handler gave no outcome') };
  } catch (error) {
    return failed(error);
  }
}

/** The `error` member for what a handler threw, or for an answer that cannot be sent. */
export function failed(error) {
  if (error instanceof EffectFailed) return { error: effectError(error.kind, "the shell's handler says so") };
  return { error: effectError('effect.failed', `${error?.name ?? 'something'} in the handler`) };
}

/** The `error` member that answers a request no shell of this version knows. */
export function unknownMethod(method) {
  const kind = 'rpc.unknownMethod';
  const message = { key: kind, params: {}, fallback: 'Update the app.' };
  const data = { kind, retryable: false, message };
  return { error: { code: -32601, message: `the shell knows no ${method}`, data } };
}

function effectError(kind, summary) {
  const [code, retryable, fallback] = ERRORS.get(kind);
  const data = { kind, retryable, message: { key: kind, params: {}, fallback } };
  return { code, message: summary, data };
}
