import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkFlite, checkPocketsphinx, createFlite, createPocketsphinx } from '@parley/speech';
import { eventually } from '@parley/testkit';
import type { FindSpeech } from '../src/speech/find-speech.ts';
import { startWorker } from '../src/start-worker.ts';
import { callIn, inboundNumber } from './call-in.ts';
import { anyNumber, type Harness, type Json, startHarness } from './harness.ts';
import { callFrom, connectNumber, finished, nativeTool } from './place-call.ts';
import { beginningOfVoice, CHANNELS, heardMs, recordedVoices, withoutVoice } from './recorded-voices.ts';
import { workerProcess } from './worker-process.ts';

const REAL_TIME = {
  PROCESSES: 'api',
  CLOCK_RATE: '1',
  SIMULATOR_MEDIA: 'wideband',
  RECORDING_SPEECH: 'auto',
};
const PATIENCE = { timeoutMs: 150_000 };
const GREETING =
  'Welcome to the Acme company. This is a long greeting that goes on and on, so that you can interrupt me whenever you like to do that.';
/** After a crash up to a second of the recording is missing, and the last word before that may have ended sooner. */
const LOST_MS = 1_000;
const BETWEEN_WORDS_MS = 600;
const SOME_WORDS_MS = 5_000;
const SOME_SYLLABLES_MS = 300;
const [WHO, END] = ['who is this', 'please end this call'];

const isInstalled = await Promise.all([checkFlite(), checkPocketsphinx()]).then(
  () => true,
  () => false,
);
const describeSpoken = isInstalled ? describe : describe.skip;

/** By workspace: what pocketsphinx recognizes; anything by default. */
const phrasesOf = new Map<string, string[]>();

/** flite speaks, and pocketsphinx recognizes. */
const speech: FindSpeech = async ({ workspaceId }) => {
  const stt = createPocketsphinx();
  const phrases = phrasesOf.get(workspaceId);
  return {
    stt: { ...stt, open: (options) => stt.open({ ...options, ...(phrases && { phrases }) }) },
    tts: createFlite(),
  };
};

describeSpoken('a spoken call through real synthesis and recognition, on a wideband line', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness(REAL_TIME);
  });
  afterAll(() => harness.close());

  /** A worker in this process, for all further tests. */
  let started: Promise<unknown> | undefined;
  const startHere = (): Promise<unknown> => {
    started ??= startWorker(harness.context, harness.context.lifecycle, { findSpeech: speech });
    return started;
  };

  const timelineOf = async (workspaceId: string, id: string): Promise<Json[]> =>
    (await harness.ask(workspaceId, 'GET', `/v2/call/${id}/timeline`)).body.data;
  const turnsOf = async (workspaceId: string, id: string, role: string): Promise<string[]> =>
    (await timelineOf(workspaceId, id))
      .filter((entry) => entry.type === 'turn' && entry.role === role)
      .map(({ content }) => content);

  it('survives a crash of its worker: another one continues, and no turn is lost [calls.17] [calls.19]', async () => {
    const first = await workerProcess(harness);
    const { workspaceId, ...number } = await connectNumber(harness);
    const id = await callFrom(harness, { ...number, workspaceId }, anyNumber('4242'));
    await eventually(
      async () => expect((await turnsOf(workspaceId, id, 'user')).length).toBeGreaterThan(0),
      PATIENCE,
    );
    const before = await turnsOf(workspaceId, id, 'user');
    const second = await workerProcess(harness);
    await first.kill('SIGKILL');
    const call = await eventually(() => finished(harness, workspaceId, id), PATIENCE);
    const after = await turnsOf(workspaceId, id, 'user');
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.length).toBeGreaterThan(before.length);
    expect(call).toMatchObject({ answered_at: expect.any(String), recording_url: expect.any(String) });
    expect(call.disconnection_reason).toMatch(/^(user|agent)_hangup$/);
    const { wav, turns } = await recordedVoices(harness, call, await timelineOf(workspaceId, id));
    expect(withoutVoice(wav, turns)).toEqual([]);
    await second.kill('SIGTERM');
  });

  it('says again what its worker was saying when it was killed, and has both in its recording [calls.17] [calls.19]', async () => {
    const workers = await Promise.all([workerProcess(harness), workerProcess(harness)]);
    try {
      const number = await inboundNumber(harness, { agent: { config: { firstMessage: GREETING } } });
      const id = await callIn(harness, number, { from_number: anyNumber('0006') });
      const said = async (): Promise<Json[]> =>
        (await timelineOf(number.workspaceId, id)).filter(({ role }) => role === 'agent');
      await eventually(
        async () => expect(await said()).toMatchObject([{ content: GREETING, interrupted: null }]),
        PATIENCE,
      );
      const [row] = await harness.sql.$queryRaw<{ worker: string }[]>`
        SELECT worker_id::text AS worker FROM calls WHERE id = ${id}::uuid`;
      const [first] = workers.filter(({ workerId }) => workerId === row?.worker);
      const saidForMs = async () => Date.now() - Date.parse((await said())[0]?.at);
      await eventually(async () => expect(await saidForMs()).toBeGreaterThan(SOME_WORDS_MS), PATIENCE);
      await first?.kill('SIGKILL');
      const killedAt = Date.now();
      await eventually(
        async () =>
          expect(await said()).toMatchObject([
            { content: GREETING, interrupted: null },
            { content: GREETING, interrupted: false },
          ]),
        PATIENCE,
      );
      await harness.ask(number.workspaceId, 'POST', `/v2/call/${id}/stop`);
      const call = await eventually(() => finished(harness, number.workspaceId, id), PATIENCE);
      const timeline = await timelineOf(number.workspaceId, id);
      const { wav, turns, answeredAtMs } = await recordedVoices(harness, call, timeline);
      const killedMs = killedAt - answeredAtMs;
      const [before, after] = turns;
      const lastMs = killedMs - LOST_MS;
      const beganMs = beginningOfVoice(wav, 'agent', before?.atMs);
      const saidMs = (fromMs: number, toMs: number) => wav.audibleMs(CHANNELS.agent, fromMs, toMs);
      expect(saidMs(beganMs, lastMs)).toBeGreaterThan((lastMs - beganMs) / 2);
      expect(saidMs(lastMs - BETWEEN_WORDS_MS, lastMs)).toBeGreaterThan(0);
      expect(saidMs(killedMs + 100, (after?.atMs ?? 0) - 100)).toBe(0);
      expect(withoutVoice(wav, turns.slice(1))).toEqual([]);
      expect(heardMs(wav).user).toBe(0);
    } finally {
      for (const worker of workers) await worker.kill('SIGKILL');
    }
  });

  it('continues when the human says that they are listening [running.11]', async () => {
    await startHere();
    const number = await inboundNumber(harness, { agent: { config: { firstMessage: GREETING } } });
    const id = await callIn(harness, number, { from_number: anyNumber('0017') });
    await eventually(
      async () =>
        expect((await timelineOf(number.workspaceId, id)).filter(({ role }) => role)).toMatchObject([
          { role: 'agent', content: GREETING, interrupted: false },
        ]),
      { timeoutMs: 20_000 },
    );
    await harness.ask(number.workspaceId, 'POST', `/v2/call/${id}/stop`);
    const call = await eventually(() => finished(harness, number.workspaceId, id), PATIENCE);
    const { wav } = await recordedVoices(harness, call, await timelineOf(number.workspaceId, id));
    expect(heardMs(wav).user).toBeGreaterThan(SOME_SYLLABLES_MS);
  });

  it('records the words of both sides, an interruption, a tool, a recording and its events [running.11]', async () => {
    await startHere();
    const number = await inboundNumber(harness, {
      agent: { tools: [nativeTool('end_call')], config: { firstMessage: GREETING } },
    });
    phrasesOf.set(number.workspaceId, [WHO, END]);
    const id = await callIn(harness, number, { from_number: anyNumber('0013'), script: [WHO, END] });
    const call = await eventually(() => finished(harness, number.workspaceId, id), PATIENCE);
    expect(await turnsOf(number.workspaceId, id, 'user')).toEqual([WHO, END]);
    const [greeting = '', answer = ''] = await turnsOf(number.workspaceId, id, 'agent');
    expect(GREETING.startsWith(greeting)).toBe(true);
    expect(greeting.length).toBeGreaterThan(5);
    expect(greeting.length).toBeLessThan(GREETING.length);
    expect(answer).toContain('Do you have a minute?');
    const timeline = await timelineOf(number.workspaceId, id);
    expect(timeline.find(({ type }) => type === 'tool')).toMatchObject({
      tool_name: 'end_call',
      error: null,
    });
    expect(timeline.some(({ latency }) => latency)).toBe(true);
    expect(timeline.find(({ type }) => type === 'recording_stored')?.seconds).toBeGreaterThan(5);
    const { wav, turns } = await recordedVoices(harness, call, timeline);
    expect(wav.channels).toHaveLength(2);
    expect(withoutVoice(wav, turns)).toEqual([]);
    // The assistant begins the call, and the human is silent from the end of a turn until it has begun to answer.
    expect(beginningOfVoice(wav, 'agent')).toBeLessThan(beginningOfVoice(wav, 'user'));
    const askedMs = turns.find(({ role }) => role === 'user')?.atMs ?? 0;
    const answeredMs = beginningOfVoice(wav, 'agent', askedMs);
    expect(wav.audibleMs(CHANNELS.user, askedMs, answeredMs + SOME_SYLLABLES_MS)).toBe(0);
    // Each side is on its channel only: the assistant stops when the human speaks over it.
    const { user, agent, both } = heardMs(wav);
    expect(both).toBeLessThan(Math.min(user, agent) / 2);
    expect(call).toMatchObject({ disconnection_reason: 'agent_hangup', summary: expect.any(String) });
    for (const type of ['call.started', 'call.ended', 'call.analyzed'] as const)
      expect(harness.bus.received(type).filter(({ data }) => data.call_id === id)).toHaveLength(1);
  });
});
