// Held against the declarations by the TypeScript compiler; nobody runs it.

import { Client, CoreGone, EffectFailed, Problem, type LoginState } from '../index.js';

export async function shell(): Promise<LoginState> {
  const core = Client.spawn(['grain-core', '--stdio'], { onLog: (line) => line.trim(), framing: 'headers' });
  core.onEffect('auth.present', async ({ args, signal }) => {
    if (signal.aborted || args.callback.via === 'core') return 'presented';
    const scheme: string = args.callback.scheme;
    await core.call('login.callback', { callbackUrl: `${scheme}:/` });
    return { outcome: 'callbackDelivered' };
  }, { presentations: ['externalBrowser', 'webview'] });
  core.onEffect('url.open', () => { throw new EffectFailed('effect.denied'); });
  // @ts-expect-error an outcome no page has
  core.onEffect('url.open', () => 'presented');
  // @ts-expect-error there is no such effect
  core.onEffect('url.close', () => 'closed');
  // @ts-expect-error files are part of this result
  core.onEffect('image.prepare', () => 'prepared');

  const hello = await core.initialize({ name: 'types', version: '1', models: ['login'], onProgress: ({ value }) => value.done });
  const most: number = hello.limits.maxInFlight;
  const login = await core.subscribe('login', { maxRateHz: most });
  for await (const state of login) {
    const words: string | undefined = state.problem?.message.fallback;
    if (state.can.includes('login.start') && words === undefined) await core.call('login.start');
    // @ts-expect-error this model shows no photos
    state.photoOrder;
    // @ts-expect-error states are only read by status that exists
    if (state.status === 'sleeping') break;
  }
  await core.call('ping', {}, { signal: new AbortController().signal });
  // @ts-expect-error a handle is needed
  await core.call('login.submitHandle');
  // @ts-expect-error params are closed
  await core.call('login.submitHandle', { handle: 'alice.test', password: 'x' });
  // @ts-expect-error there is no such intent
  await core.call('login.begin');

  const { draft } = await core.call('gallery.createDraft');
  // @ts-expect-error which draft?
  await core.subscribe('galleryPublish');
  const gallery = await core.subscribe('galleryPublish', { args: { draft }, onChange: ({ percent }) => percent });
  const uri: string | undefined = (await gallery.until((state) => state.phase === 'published')).publishedUri;
  await core.finish(await core.call('gallery.publish', { draft })).catch((error: unknown) => {
    if (error instanceof Problem && error.kind === 'network.offline') return error.words;
    if (error instanceof CoreGone) return `${error.exitCode} ${error.lastLog.join()} ${uri}`;
    throw error;
  });
  await core.unsubscribe(gallery);
  await core.get('galleryPublish', { draft });
  await core.close();
  return core.get('login');
}
