// A client for grain-core: starts it, sends intents, holds the states it answers with.
// No dependencies, no build step; Node 18 or later, and Electron's main process.

export { Client } from './lib/client.js';
export { EffectFailed } from './lib/effects.js';
export { CoreGone, OperationCancelled, Problem, ProtocolError, SubscriptionClosed } from './lib/errors.js';
export { encode, MessageSplitter } from './lib/framing.js';
export { mergePatch, stateDigest } from './lib/merge.js';
