import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { eventually } from '@parley/testkit';
import { anyNumber, type Harness, type Json, startHarness, startSpokenWorker } from './harness.ts';
import { callFrom, connectNumber, finished } from './place-call.ts';
import { speechOf } from './speech-doubles.ts';

const REAL_TIME = {
  PROCESSES: 'api',
  CLOCK_RATE: '1',
  SIMULATOR_MEDIA: 'narrowband',
  RECORDING_SPEECH: 'tones',
};
const PATIENCE = { timeoutMs: 60_000 };
const LINES = Array.from({ length: 50 }, (_, n) => `I say sentence number ${n}.`);
const AUDIBLE = 1_000;
/** The recording is placed by the worker's clock, the requests by that of this test. */
const TOLERANCE_MS = 300;

describe('a paused recording [calls.28]', () => {
  let harness: Harness;
  let worker: Lifecycle;
  beforeAll(async () => {
    harness = await startHarness(REAL_TIME);
    worker = await startSpokenWorker(harness, speechOf(LINES));
  });
  afterAll(async () => {
    await worker?.stop('test');
    await harness.close();
  });

  const placeCall = async () => {
    const { workspaceId, ...number } = await connectNumber(harness, { settings: { maxCallDuration: 600 } });
    const id = await callFrom(harness, { workspaceId, ...number }, anyNumber('0007'));
    const timeline = async (): Promise<Json[]> =>
      (await harness.ask(workspaceId, 'GET', `/v2/call/${id}/timeline`)).body.data;
    /** Waits until both sides have begun `count` further turns. */
    const talk = async (count: number): Promise<void> => {
      const turns = async (role: string) => (await timeline()).filter((entry) => entry.role === role).length;
      const [user, agent] = [await turns('user'), await turns('agent')];
      await eventually(async () => {
        expect(await turns('user')).toBeGreaterThanOrEqual(user + count);
        expect(await turns('agent')).toBeGreaterThanOrEqual(agent + count);
      }, PATIENCE);
    };
    const set = async (what: 'pause' | 'resume'): Promise<Json> =>
      (await harness.ask(workspaceId, 'POST', `/v2/call/${id}/recording/${what}`)).body.data;
    const end = async (): Promise<Json> => {
      await harness.ask(workspaceId, 'POST', `/v2/call/${id}/stop`);
      return eventually(() => finished(harness, workspaceId, id), PATIENCE);
    };
    return { id, timeline, talk, set, end };
  };

  /** The recording of a call, and the share of audible samples of each channel between two times since the answer. */
  const recordingOf = async (call: Json) => {
    const { pathname, search } = new URL(call.recording_url);
    const wav = Buffer.from(await (await fetch(`${harness.url}${pathname}${search}`)).arrayBuffer());
    const rate = wav.readUInt32LE(24);
    const frames = wav.readUInt32LE(40) / 4;
    const audible = (fromMs: number, toMs: number): [number, number] => {
      const found: [number, number] = [0, 0];
      const [from, to] = [fromMs, toMs].map((ms) => Math.min(frames, Math.round((ms * rate) / 1_000)));
      for (let at = from ?? 0; at < (to ?? 0); at += 1)
        for (const channel of [0, 1] as const)
          if (Math.abs(wav.readInt16LE(44 + at * 4 + 2 * channel)) > AUDIBLE) found[channel] += 1;
      return found;
    };
    return { durationMs: (frames * 1_000) / rate, audible, rate };
  };

  it.each([
    ['in one worker', false],
    ['also by the worker that takes the call over', true],
  ])('is silence in both channels until it is resumed, %s', async (_, isTakenOver) => {
    const { id, timeline, talk, set, end } = await placeCall();
    await talk(1);
    expect(await set('pause')).toEqual({ id, recording: 'paused' });
    const pausedAt = Date.now();
    await talk(2);
    if (isTakenOver) {
      const next = await startSpokenWorker(harness, speechOf(LINES));
      await worker.stop('another one takes over');
      worker = next;
      await talk(2);
    }
    const resumedAt = Date.now();
    expect(await set('resume')).toEqual({ id, recording: 'recording' });
    await talk(2);
    const call = await end();
    const answeredAt = Date.parse(call.answered_at);
    const { durationMs, audible, rate } = await recordingOf(call);
    const [fromMs, toMs] = [pausedAt - answeredAt, resumedAt - answeredAt];
    expect(Math.min(...audible(0, fromMs))).toBeGreaterThan(rate / 10);
    expect(audible(fromMs + TOLERANCE_MS, toMs - TOLERANCE_MS)).toEqual([0, 0]);
    expect(Math.min(...audible(toMs, durationMs))).toBeGreaterThan(rate / 10);
    expect(Math.abs(durationMs - (Date.parse(call.ended_at) - answeredAt))).toBeLessThan(1_500);
    const entries = await timeline();
    expect(entries.filter(({ type }) => type === 'recording').map(({ state }) => state)).toEqual([
      'paused',
      'resumed',
    ]);
    // What was said is still on record.
    const said = entries.filter(
      ({ type, at }) => type === 'turn' && Date.parse(at) > pausedAt && Date.parse(at) < resumedAt,
    );
    expect(new Set(said.map(({ role }) => role))).toEqual(new Set(['user', 'agent']));
  });

  it('cannot be paused in a call whose assistant records nothing', async () => {
    const { workspaceId, ...number } = await connectNumber(harness, {
      settings: { maxCallDuration: 600, recording: { enabled: false } },
    });
    const id = await callFrom(harness, { workspaceId, ...number }, anyNumber('0007'));
    await eventually(async () => {
      const { body } = await harness.ask(workspaceId, 'GET', `/v2/call/${id}/timeline`);
      expect(body.data.some(({ type }: Json) => type === 'turn')).toBe(true);
    }, PATIENCE);
    const { status, body } = await harness.ask(workspaceId, 'POST', `/v2/call/${id}/recording/pause`);
    expect([status, body.error.message]).toEqual([409, 'The call is not being recorded']);
    await harness.ask(workspaceId, 'POST', `/v2/call/${id}/stop`);
  });
});
