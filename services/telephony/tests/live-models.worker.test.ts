import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { createGeminiLiveDouble, createOpenAiRealtimeDouble, type LiveDouble } from '@parley/speech/testing';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { anyNumber, type Harness, type Json, startHarness } from './harness.ts';
import { createLiveCalls, handleOf, historyOf, type LiveCalls } from './live-calls.ts';
import { callFrom, connectNumber, customTool, nativeTool } from './place-call.ts';

const PATIENCE = { timeoutMs: 120_000 };
const STILL_HERE = 'I am still here for you.';
const STILL_HERE_MS = STILL_HERE.length * 20;
const LONG = 'This is a long answer that goes on and on. '.repeat(30).trim();

/** The model's behavior by the prompt of the call. Calls run concurrently, because they are in real time. */
describe('an assistant of a live model [assistants.23]', () => {
  let harness: Harness;
  let live: LiveCalls;
  let gemini: LiveDouble;
  let openai: LiveDouble;
  let endpoint: Receiver;
  let collector: Receiver;
  let worker: Lifecycle;

  beforeAll(async () => {
    gemini = await createGeminiLiveDouble();
    openai = await createOpenAiRealtimeDouble();
    endpoint = await receiver();
    collector = await receiver();
    const models = [
      { name: 'gemini', type: 'gemini-live', base_url: gemini.url, api_key: gemini.key, model: 'g-1' },
      { name: 'realtime', type: 'openai-realtime', base_url: `${openai.url}/v1`, api_key: openai.key },
      { name: 'revoked', type: 'gemini-live', base_url: gemini.url, api_key: 'revoked' },
    ];
    harness = await startHarness({
      PROCESSES: 'api',
      CLOCK_RATE: '1',
      SIMULATOR_MEDIA: 'narrowband',
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
      LIVE_MODELS: JSON.stringify(models),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    live = createLiveCalls(harness, [gemini, openai]);
    worker = await live.startWorker();
    for (const begin of [
      talks.gemini,
      talks.realtime,
      isInterrupted,
      isBrokenOff,
      isCutOff,
      cannotBeReached,
      leavesMessage,
    ]) {
      const run = begin();
      run.catch(() => {});
      runs.set(begin, run);
    }
  });
  afterAll(async () => {
    await worker?.stop('test');
    await harness?.close();
    await gemini?.close();
    await openai?.close();
    await endpoint?.close();
    await collector?.close();
  });

  type Ended = Awaited<ReturnType<LiveCalls['over']>>;
  const runs = new Map<() => Promise<Ended>, Promise<Ended>>();
  const resultOf = (begin: () => Promise<Ended>): Promise<Ended> =>
    runs.get(begin) ?? Promise.reject(new Error('not begun'));

  const results = new Map<string, string[]>();
  /** A call with turns of both sides and tools that ends by a tool. */
  const talksTo = (provider: 'gemini' | 'realtime') => async (): Promise<Ended> => {
    const scene = `all-${provider}`;
    endpoint.script(`/${scene}`, { body: { pieces: 3 } });
    const tool = (tool_name: string, more: Json = {}) =>
      customTool({ tool_name, endpoint_url: `${endpoint.url}/${scene}`, ...more });
    const tools = [
      tool('stock'),
      tool('note', { tool_behavior: 'non_blocking', result_scheduling: 'silent' }),
      nativeTool('end_call'),
    ];
    let heard = 0;
    live.scene(scene, (cause) => {
      if ('heard' in cause) heard += 1;
      if ('told' in cause) return [{ say: 'Good morning, what can I do?' }];
      if ('result' in cause && JSON.stringify(cause.result).includes('pieces')) {
        results.set(provider, [...(results.get(provider) ?? []), JSON.stringify(cause.result)]);
        return [{ say: 'There are three on the shelf.' }];
      }
      if ('result' in cause) return [];
      if (heard === 1)
        return [
          { tool: 'note', args: {} },
          { tool: 'stock', args: {} },
        ];
      const end = { tool: 'end_call', args: {} };
      return [{ say: 'Goodbye, and thank you for the call.' }, end, end];
    });
    const config = { firstMessage: 'Good morning, what can I do?', voice: { voiceId: 'none of its own' } };
    const script = ['Have you got tea?', 'Thanks.', 'Hello?', 'Are you there?', 'Bye.'];
    return live.over(await live.calledBy(live.agentOf(scene, provider, config, tools), script));
  };
  const talks = { gemini: talksTo('gemini'), realtime: talksTo('realtime') };

  const isInterrupted = async (): Promise<Ended> => {
    live.scene('cut', (cause) => ('told' in cause ? [{ say: LONG }] : [{ say: 'I listen to you now.' }]));
    const settings = { silenceTimeout: 6 };
    const agent = live.agentOf('cut', 'realtime', { firstMessage: 'Begin', settings });
    return live.over(
      await live.calledBy(agent, ['Stop, let me say something about that, please.', 'Thanks.'], '0013'),
    );
  };

  /** The connection of a scene breaks off some time after the beginning of the first answer. */
  const breaksOff = async (scene: string, afterMs: number): Promise<Ended> => {
    live.scene(scene, (cause, connection) => {
      if ('heard' in cause && connection === 0)
        setTimeout(() => live.breakOff(gemini, scene), afterMs).unref();
      return [{ say: STILL_HERE }];
    });
    const script = ['One is said.', 'Two is said.'];
    return live.over(await live.calledBy(live.agentOf(scene, 'gemini', { firstMessage: 'Hello' }), script));
  };
  const isBrokenOff = (): Promise<Ended> => breaksOff('broken', STILL_HERE_MS + 100);
  const isCutOff = (): Promise<Ended> => breaksOff('cut-off', STILL_HERE_MS / 2);

  const cannotBeReached = async (): Promise<Ended> =>
    live.over(await live.calledBy(live.agentOf('revoked', 'revoked'), ['Hello?']));

  const leavesMessage = async (): Promise<Ended> => {
    const voicemail = { detection: true, action: 'leave_message', message: 'Please call us back.' };
    const number = await connectNumber(harness, {
      agent: live.agentOf('machine', 'gemini', { settings: { voicemail } }) as Json,
    });
    return live.over({ id: await callFrom(harness, number, anyNumber('0003')), of: number.workspaceId });
  };

  it.each([
    ['gemini', () => gemini],
    ['realtime', () => openai],
  ] as const)(
    '%s: turns of both sides, tools, their results, latency, recording, and the end by a tool',
    async (provider, of) => {
      const { call, timeline, said } = await resultOf(talks[provider]);
      expect(call).toMatchObject({ disconnection_reason: 'agent_hangup', recording_url: expect.any(String) });
      // On a busy machine the human interrupts answers, whose turns are then missing or shorter.
      expect(said('agent').at(-1)).toMatch(/^Goodbye/);
      expect(said('user')[0]).toMatch(/^Some words\./);
      const used = timeline.filter(({ type }) => type === 'tool');
      expect(used.map(({ tool_name }) => tool_name).sort()).toEqual(['end_call', 'note', 'stock']);
      expect(results.get(provider)).toEqual([expect.stringContaining('"pieces":3')]);
      const turns = timeline.filter(({ type }) => type === 'turn').map(({ role }) => role);
      expect(turns.indexOf('user')).toBeLessThan(turns.lastIndexOf('agent'));
      expect(timeline.some(({ latency }) => latency?.first_audio_ms > 0)).toBe(true);
      const connections = live.connectionsOf(of(), `all-${provider}`);
      expect(connections).toHaveLength(1);
      expect(JSON.stringify(connections)).not.toContain('none of its own');
    },
  );

  it.each(['gemini', 'realtime'] as const)(
    '%s: each answer is a span of its call [calls.21]',
    async (provider) => {
      const { call } = await resultOf(talks[provider]);
      const spans = (): Json[] =>
        collector
          .requests('/v1/traces')
          .flatMap(({ body }) => JSON.parse(body).resourceSpans)
          .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope: Json) => scope.spans));
      const attribute = (span: Json, name: string) =>
        span.attributes.find(({ key }: Json) => key === name)?.value.stringValue;
      await eventually(
        () => {
          const answers = spans().filter(
            (span) => span.name === 'answer' && attribute(span, 'call.id') === call.id,
          );
          expect(answers.length).toBeGreaterThan(0);
          for (const answer of answers) {
            expect(attribute(answer, 'model')).toBe(provider);
            expect(answer.events.map(({ name }: Json) => name)).toEqual(['end_of_turn', 'first_token']);
          }
        },
        { timeoutMs: 20_000 },
      );
    },
  );

  it('the human interrupts: the turn has what was heard, and the model learns where', async () => {
    const { said, call, timeline } = await resultOf(isInterrupted);
    // Both sides may also be silent, if the human does not notice that it is its turn.
    expect(call.disconnection_reason).toMatch(/_hangup$/);
    const [first = ''] = said('agent');
    expect(LONG.startsWith(first)).toBe(true);
    expect(first.length).toBeLessThan(LONG.length);
    expect(timeline.find(({ content }) => content === first)).toMatchObject({ interrupted: true });
    const truncated = live
      .connectionsOf(openai, 'cut')[0]
      ?.find(({ type }) => type === 'conversation.item.truncate');
    expect(Math.abs(truncated.audio_end_ms / 20 - first.length)).toBeLessThan(12);
  });

  it('cannot be reached: the call says so, and ends with the reason', async () => {
    const { call, timeline, said } = await resultOf(cannotBeReached);
    expect(call.disconnection_reason).toBe('error');
    expect(said('agent')).toEqual([expect.stringContaining('I am sorry')]);
    expect(timeline.find(({ type }) => type === 'ended')).toMatchObject({
      cause: 'model_failed',
      message: expect.stringContaining('live model'),
    });
  });

  it('leaves its message on a machine [assistants.10]', async () => {
    const { call, said } = await resultOf(leavesMessage);
    expect(call).toMatchObject({ disconnection_reason: 'voicemail' });
    expect(said('agent').at(-1)).toContain('Please call us back.');
  });

  it('goes on after its connection broke off, by its handle', async () => {
    const { call } = await resultOf(isBrokenOff);
    expect(call.disconnection_reason).toMatch(/_hangup$/);
    const handles = live.connectionsOf(gemini, 'broken').map(handleOf);
    expect(handles).toEqual([undefined, expect.stringMatching(/^handle-/)]);
  });

  it('goes on with the history after its connection broke off in the middle of an answer', async () => {
    const { call } = await resultOf(isCutOff);
    expect(call.disconnection_reason).toMatch(/_hangup$/);
    const connections = live.connectionsOf(gemini, 'cut-off');
    expect(connections.map(handleOf)).toEqual([undefined, undefined]);
    expect(historyOf(connections[1])).toEqual([STILL_HERE, 'Some words.', STILL_HERE]);
  });

  it('goes on in another worker, by its handle, which is forgotten in the end [calls.17]', async () => {
    await Promise.allSettled(runs.values());
    let answers = 0;
    live.scene('taken', (cause, connection) =>
      'told' in cause || connection > 0 || answers++ === 0 ? [{ say: STILL_HERE }] : [],
    );
    const script = ['One is said.', 'Two is said.'];
    const call = await live.calledBy(live.agentOf('taken', 'gemini', { firstMessage: 'Hello' }), script);
    await live.userTurns(call, 1);
    await eventually(async () => expect(await live.knownAnswers(call)).toBe(2), PATIENCE);
    const next = await live.startWorker();
    await worker.stop('another one takes over');
    worker = next;
    const { call: ended } = await live.over(call);
    expect(ended.disconnection_reason).toMatch(/_hangup$/);
    const handles = live.connectionsOf(gemini, 'taken').map(handleOf);
    expect(handles).toEqual([undefined, expect.stringMatching(/^handle-/)]);
    const rows = await harness.sql.$queryRaw<{ model_state: unknown }[]>`
      SELECT model_state FROM calls WHERE id = ${call.id}::uuid`;
    expect(rows).toEqual([{ model_state: null }]);
  });

  it('that has to answer learns in another worker what the human said since its handle [calls.17]', async () => {
    let isHeard = false;
    live.scene('pending', (cause) => {
      isHeard ||= 'heard' in cause;
      return 'told' in cause ? [{ say: 'Welcome.' }] : [];
    });
    const call = await live.calledBy(live.agentOf('pending', 'gemini', { firstMessage: 'Hello' }), [
      'One is said.',
    ]);
    await eventually(() => expect(isHeard).toBe(true), PATIENCE);
    const next = await live.startWorker();
    await worker.stop('another one takes over');
    worker = next;
    const told = await eventually(() => {
      const [first, ...rest] = live.connectionsOf(gemini, 'pending')[1] ?? [];
      expect(first.setup.sessionResumption.handle).toMatch(/^handle-/);
      const text = rest.flatMap(({ realtimeInput }) => realtimeInput?.text ?? []);
      expect(text).toHaveLength(1);
      return text[0];
    }, PATIENCE);
    expect(told).toContain('Some words.');
    await harness.ask(call.of, 'POST', `/v2/call/${call.id}/stop`);
  });
});
