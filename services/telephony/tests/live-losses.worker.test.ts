import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { createGeminiLiveDouble, createOpenAiRealtimeDouble, type LiveDouble } from '@parley/speech/testing';
import { eventually } from '@parley/testkit';
import { type Harness, startHarness } from './harness.ts';
import { createLiveCalls, handleOf, type LiveCalls } from './live-calls.ts';
import { workerProcess } from './worker-process.ts';

const WORDS = 'Some words.';
const BREAKS_OFF_AFTER_MS = 50;
const PATIENCE = { timeoutMs: 60_000 };
const STILL_HERE = 'I am still here for you.';
/** Twenty seconds. */
const LONG = 'We have tea. '.repeat(77).trim();

/** Calls run concurrently, because they are in real time. */
describe('a live model that is lost in a call [assistants.23]', () => {
  let harness: Harness;
  let live: LiveCalls;
  let gemini: LiveDouble;
  let openai: LiveDouble;
  let stalled: LiveDouble;
  let worker: Lifecycle | undefined;
  const runs = new Map<string, ReturnType<LiveCalls['over']>>();

  beforeAll(async () => {
    gemini = await createGeminiLiveDouble();
    openai = await createOpenAiRealtimeDouble();
    stalled = await createGeminiLiveDouble();
    // Ready, and then silent.
    stalled.behave({ kind: 'stall' });
    const models = [
      { name: 'gemini', type: 'gemini-live', base_url: gemini.url, api_key: gemini.key },
      { name: 'realtime', type: 'openai-realtime', base_url: `${openai.url}/v1`, api_key: openai.key },
      { name: 'stalled', type: 'gemini-live', base_url: stalled.url, api_key: stalled.key },
    ];
    harness = await startHarness({
      PROCESSES: 'api',
      CLOCK_RATE: '1',
      SIMULATOR_MEDIA: 'narrowband',
      OPENAI_TIMEOUT_SECONDS: '4',
      LIVE_MODELS: JSON.stringify(models),
    });
    live = createLiveCalls(harness, [gemini, openai, stalled]);
    live.scene('mute', (cause, connection) =>
      connection === 0 && 'told' in cause ? [{ say: 'Good morning.' }] : [],
    );
    for (const [provider, double] of Object.entries({ gemini, realtime: openai })) {
      const scene = `unanswered-${provider}`;
      live.scene(scene, (cause, connection) => {
        if (connection > 0) return [{ say: 'Yes, three boxes.' }];
        if ('told' in cause) return [{ say: 'Good morning.' }];
        setTimeout(() => live.breakOff(double, scene), BREAKS_OFF_AFTER_MS).unref();
        return [];
      });
    }
    worker = await live.startWorker();
    const firstMessage = 'Good morning.';
    // With another line, so that the human does not hang up at the end of the apology.
    const script = ['Have you got tea?', 'Hello?'];
    begin('mute', 'gemini', { firstMessage }, script);
    begin('stalled', 'stalled', {}, script);
    begin('unanswered-gemini', 'gemini', { firstMessage });
    begin('unanswered-realtime', 'realtime', { firstMessage });
  });
  afterAll(async () => {
    await worker?.stop('test');
    await harness?.close();
    for (const double of [gemini, openai, stalled]) await double?.close();
  });

  const begin = (scene: string, provider: string, config: object, script = ['Have you got tea?']): void => {
    const run = live.calledBy(live.agentOf(scene, provider, config), script).then(live.over);
    run.catch(() => {});
    runs.set(scene, run);
  };
  const resultOf = async (scene: string) => {
    const run = runs.get(scene);
    if (!run) throw new Error(`The scene ${scene} has not begun`);
    return run;
  };

  it.each([
    ['transcribes and never answers', 'mute', () => gemini],
    ['is ready and does nothing', 'stalled', () => stalled],
  ] as const)('one that %s is replaced once; then the assistant apologizes', async (_, scene, of) => {
    const { call, timeline, said } = await resultOf(scene);
    expect(call.disconnection_reason).toBe('error');
    expect(timeline.find(({ type }) => type === 'ended')).toMatchObject({ cause: 'model_failed' });
    expect(said('agent').at(-1)).toContain('I am sorry');
    expect(live.connectionsOf(of(), scene)).toHaveLength(2);
  });

  it.each([
    ['gemini', () => gemini],
    ['realtime', () => openai],
  ] as const)(
    '%s, between the question and its answer: the next connection answers',
    async (provider, of) => {
      const { call, said } = await resultOf(`unanswered-${provider}`);
      expect(call.disconnection_reason).toBe('user_hangup');
      // On a busy machine the human speaks over the greeting, and the next connection notices the question late.
      expect(said('agent').at(-1)).toBe('Yes, three boxes.');
      expect(said('user').join(' ')).toContain(WORDS);
      expect(live.connectionsOf(of(), `unanswered-${provider}`).length).toBeGreaterThanOrEqual(2);
    },
  );

  it('with its worker: another one goes on, by the handle or the history [calls.17]', async () => {
    await Promise.allSettled(runs.values());
    await worker?.stop('a process takes its place');
    const killed = await workerProcess(harness);
    let answers = 0;
    // The worker is killed after the first answer of one call, and in the middle of that of another.
    live.scene('killed-gemini', (cause, connection) => {
      const isFirst = 'told' in cause || connection > 0 || answers++ === 0;
      return isFirst ? [{ say: STILL_HERE }] : [];
    });
    live.scene('killed-answer', (cause, connection) => [
      { say: 'heard' in cause && connection === 0 ? LONG : STILL_HERE },
    ]);
    live.scene('killed-realtime', () => [{ say: STILL_HERE }]);
    const callOf = (scene: string, provider: string) =>
      live.calledBy(live.agentOf(scene, provider, { firstMessage: 'Hello' }), [
        'One is said.',
        'Two is said.',
      ]);
    const inAnswer = await callOf('killed-answer', 'gemini');
    const realtime = await callOf('killed-realtime', 'realtime');
    const afterAnswer = await callOf('killed-gemini', 'gemini');
    const calls = [inAnswer, realtime, afterAnswer];
    for (const call of calls) await live.userTurns(call, 1);
    await live.answered(inAnswer, 2);
    await eventually(async () => expect(await live.knownAnswers(afterAnswer)).toBe(2), PATIENCE);
    expect(await live.knownAnswers(inAnswer)).toBe(1);
    await killed.kill('SIGKILL');
    worker = await live.startWorker();
    for (const { call, said } of await Promise.all(calls.map(live.over))) {
      expect(call.disconnection_reason).toMatch(/_hangup$/);
      expect(said('user').length).toBeGreaterThanOrEqual(2);
    }
    for (const scene of ['killed-gemini', 'killed-answer']) {
      const handles = live.connectionsOf(gemini, scene).map(handleOf);
      expect(handles).toEqual([undefined, expect.stringMatching(/^handle-/)]);
    }
    // It is unknown what the human heard of an answer that was being spoken: the model, which does not know the question, is told it.
    const told = live
      .connectionsOf(gemini, 'killed-answer')[1]
      ?.flatMap(({ realtimeInput }) => realtimeInput?.text ?? []);
    expect(told?.[0]).toContain(WORDS);
    const connections = live.connectionsOf(openai, 'killed-realtime');
    expect(connections).toHaveLength(2);
    const created = (connections[1] ?? []).flatMap(({ item }) => item?.content ?? []).map(({ text }) => text);
    expect(created).toEqual(expect.arrayContaining([STILL_HERE, WORDS]));
  });
});
