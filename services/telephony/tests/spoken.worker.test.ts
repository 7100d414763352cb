import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLifecycle, type Lifecycle } from '@parley/kit/lifecycle';
import { realSleep } from '@parley/kit/time';
import { SpeechError } from '@parley/speech';
import { eventually } from '@parley/testkit';
import { repeatPleaseIn } from '../src/speech/courtesies.ts';
import type { FindSpeech } from '../src/speech/find-speech.ts';
import { startWorker } from '../src/start-worker.ts';
import { type BucketServer, bucketServer } from './bucket-server.ts';
import { anyNumber, type Harness, type Json, startHarness } from './harness.ts';
import { callFrom, connectNumber, finished } from './place-call.ts';
import { speechOf } from './speech-doubles.ts';

const REAL_TIME = {
  PROCESSES: 'api',
  CLOCK_RATE: '1',
  SIMULATOR_MEDIA: 'narrowband',
  RECORDING_SPEECH: 'auto',
};
const PATIENCE = { timeoutMs: 120_000 };
const SOME_WORDS_MS = 1_000;

const noSpeech: FindSpeech = () =>
  Promise.reject(new SpeechError('speech', 'unavailable', 'No provider is configured'));

describe('a call with audio [running.11]', () => {
  let harness: Harness;
  let server: BucketServer;
  /** Each worker has a disk of its own. */
  const folders: string[] = [];
  let findSpeech: FindSpeech = noSpeech;
  let worker: Lifecycle;
  let metricsUrl = '';
  beforeAll(async () => {
    server = await bucketServer();
    harness = await startHarness({ ...REAL_TIME, ...server.env });
    worker = await startOther();
  });
  afterAll(async () => {
    await worker?.stop('test');
    await harness.close();
    await server.close();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  /** Another worker with its own metrics and connections. */
  const startOther = async (): Promise<Lifecycle> => {
    const folder = await mkdtemp(join(tmpdir(), 'spoken-'));
    folders.push(folder);
    const { context, url } = await harness.boot({ PROCESSES: 'api', RECORDINGS_DIR: folder });
    const lifecycle = createLifecycle(context.log, { deadlineMs: 10_000 });
    metricsUrl = url;
    await startWorker(context, lifecycle, { findSpeech: (config) => findSpeech(config) });
    return lifecycle;
  };

  const timelineOf = async (workspaceId: string, id: string): Promise<Json[]> =>
    (await harness.ask(workspaceId, 'GET', `/v2/call/${id}/timeline`)).body.data;

  const talk = async (lines: string[], ending: string, settings = {}) => {
    findSpeech = speechOf(lines);
    const number = await connectNumber(harness, { settings });
    const id = await callFrom(harness, number, anyNumber(ending));
    const call = await eventually(() => finished(harness, number.workspaceId, id), PATIENCE);
    return { call, timeline: await timelineOf(number.workspaceId, id) };
  };

  it('is a conversation of both sides, and tells how long each answer took [calls.21]', async () => {
    const lines = ['Hello, who is this?', 'My name is Ada Novak.', 'Yes, I am interested.', 'Goodbye.'];
    const { call, timeline } = await talk(lines, '4242');
    expect(call).toMatchObject({ disconnection_reason: 'user_hangup' });
    const turns = timeline.filter(({ type }) => type === 'turn');
    const said = (role: string) => turns.filter((turn) => turn.role === role).map(({ content }) => content);
    expect(said('user')).toEqual(lines.slice(0, said('user').length));
    expect(said('user').length).toBeGreaterThanOrEqual(3);
    expect(said('agent').join(' ')).toContain('Ada Novak');
    const answers = turns.filter(({ latency }) => latency);
    expect(answers.length).toBeGreaterThanOrEqual(2);
    for (const { latency } of answers) {
      expect(latency.end_of_turn_ms).toBeGreaterThan(0);
      expect(latency.first_audio_ms).toBeGreaterThanOrEqual(latency.first_token_ms);
    }
    expect(new Set(turns.map(({ role, interrupted }) => `${role} ${interrupted}`))).toEqual(
      new Set(['user null', 'agent false']),
    );
    const { conversation } = call.transcript_json;
    expect(conversation).toEqual(
      turns.map(({ role, content, latency, interrupted }) => ({
        role,
        content,
        ...(latency && { latency }),
        ...(interrupted !== null && { interrupted }),
      })),
    );
    await expectRecording(call);
    const metrics = await (await fetch(`${metricsUrl}/metrics`)).text();
    expect(metrics).toMatch(
      /parley_turn_latency_seconds_count\{.*stage="end_of_turn",provider="double-ears".*\} [1-9]/,
    );
  });

  /** Both channels have speech, for about as long as the call was [calls.19]. */
  const expectRecording = async (call: Json): Promise<void> => {
    const { pathname, search } = new URL(call.recording_url);
    const wav = Buffer.from(await (await fetch(`${harness.url}${pathname}${search}`)).arrayBuffer());
    const rate = wav.readUInt32LE(24);
    const bytes = wav.readUInt32LE(40);
    const loud: [number, number] = [0, 0];
    for (let at = 44; at + 4 <= 44 + bytes; at += 4)
      for (const channel of [0, 1] as const)
        if (Math.abs(wav.readInt16LE(at + 2 * channel)) > 1_000) loud[channel] += 1;
    expect(bytes / 4 / rate).toBeGreaterThan(call.duration - 3);
    expect(Math.min(...loud)).toBeGreaterThan(rate);
  };

  it('continues in another worker, including its recording: no turn is lost [calls.17] [calls.19]', async () => {
    const lines = ['Hello, who is this?', 'My name is Ada Novak.', 'Yes, I am interested.', 'Goodbye.'];
    const known = new Promise<void>((resolve) => {
      findSpeech = speechOf(lines, (line) => line === lines[1] && resolve());
    });
    const number = await connectNumber(harness);
    const id = await callFrom(harness, number, anyNumber('4242'));
    const spokenBy = async (role: string) =>
      (await timelineOf(number.workspaceId, id)).filter(
        (entry) => entry.type === 'turn' && entry.role === role,
      );
    await eventually(async () => expect(await spokenBy('user')).toHaveLength(1), PATIENCE);
    const before = await startOther();
    // The words of the second turn are known, but not that it is over.
    await known;
    await worker.stop('another one takes over');
    worker = before;
    const call = await eventually(() => finished(harness, number.workspaceId, id), PATIENCE);
    expect(call).toMatchObject({ disconnection_reason: 'user_hangup' });
    const heard = (await spokenBy('user')).map(({ content }) => content);
    expect(heard).toEqual(lines.slice(0, heard.length));
    expect(heard.length).toBeGreaterThanOrEqual(3);
    const said = (await spokenBy('agent')).map(({ content }) => content);
    expect(new Set(said).size).toBe(said.length);
    await expectRecording(call);
    // Only the complete recording remains in the bucket.
    await eventually(async () =>
      expect((await server.keys()).filter((key) => key.startsWith('live/'))).toEqual([]),
    );
  });

  it('says the answer again in another worker if its own is stopped in the middle of it [calls.17]', async () => {
    findSpeech = speechOf(LINES);
    const number = await connectNumber(harness);
    const id = await callFrom(harness, number, anyNumber('4242'));
    const turns = async () =>
      (await timelineOf(number.workspaceId, id)).filter((entry) => entry.type === 'turn');
    const before = await startOther();
    // It has begun to answer the first line.
    const begun = await eventually(async () => {
      const last = (await turns()).at(-1);
      if (last?.role !== 'agent' || (await turns()).every(({ role }) => role === 'agent'))
        throw new Error('it does not answer yet');
      return last;
    }, PATIENCE);
    await realSleep(SOME_WORDS_MS);
    await worker.stop('another one takes over');
    worker = before;
    await eventually(() => finished(harness, number.workspaceId, id), PATIENCE);
    const all = await turns();
    const at = all.findIndex(({ interrupted, role }) => role === 'agent' && interrupted === null);
    const [cut, again] = all.slice(at);
    expect(begun.content.startsWith(cut?.content)).toBe(true);
    expect(cut?.content.length).toBeLessThan(begun.content.length);
    expect(again).toMatchObject({ role: 'agent', content: begun.content, interrupted: false });
    expect(all.map(({ content }) => content)).not.toContain(repeatPleaseIn('en-US'));
  });

  it('leaves its message after the greeting and the beep of a machine [assistants.10] [running.11]', async () => {
    const voicemail = { detection: true, action: 'leave_message', message: 'Please call us back.' };
    const { call, timeline } = await talk(['You have reached our voicemail.'], '0003', { voicemail });
    expect(call).toMatchObject({ disconnection_reason: 'voicemail' });
    const said = timeline.filter(({ type, role }) => type === 'turn' && role === 'agent');
    expect(said.at(-1)).toMatchObject({ content: 'Please call us back.' });
    const detected = timeline.find(({ type }) => type === 'machine_detected');
    expect(Date.parse(said.at(-1).at) - Date.parse(detected.at)).toBeGreaterThan(2_000);
  });

  const LINES = ['Hello, who is this?', 'My name is Ada Novak.', 'Yes, I am interested.', 'Goodbye.'];
  it.each([
    ['presses keys', '0014', ['Pressed 4 2.', ...LINES.slice(1, 3)], LINES.slice(1)],
    ['is in a noisy place', '0015', LINES.slice(0, 3), LINES],
    ['has a bad network', '0016', LINES.slice(0, 3), LINES],
    [
      'says "mhm" while the assistant speaks',
      '0017',
      LINES.slice(0, 3),
      LINES.flatMap((line) => ['Mhm.', line]),
    ],
  ])('completes with a human who %s, uninterrupted', async (_, ending, expected, heard) => {
    const { call, timeline } = await talk(heard, ending);
    expect(call).toMatchObject({ disconnection_reason: 'user_hangup' });
    const turns = timeline.filter(({ type }) => type === 'turn');
    const said = turns.filter(({ role }) => role === 'user').map(({ content }) => content);
    // A "mhm" at the end of an answer is a reply to it.
    const words = said
      .join(' ')
      .replace(/\s*Mhm\.\s*/g, ' ')
      .trim();
    expect(words).toMatch(new RegExp(`^${expected.join(' ').replace(/[.?]/g, '\\$&')}`));
    const keys = timeline.filter(({ type }) => type === 'dtmf');
    expect(keys.map(({ digits }) => digits)).toEqual(ending === '0014' ? ['42'] : []);
    expect(turns.filter(({ interrupted }) => interrupted)).toEqual([]);
  });

  it('without a speech provider ends with error, and reports why', async () => {
    findSpeech = noSpeech;
    const number = await connectNumber(harness);
    const id = await callFrom(harness, number, anyNumber('4242'));
    const call = await eventually(() => finished(harness, number.workspaceId, id), PATIENCE);
    expect(call).toMatchObject({ disconnection_reason: 'error' });
    expect((await timelineOf(number.workspaceId, id)).find(({ type }) => type === 'ended')).toMatchObject({
      cause: 'no_speech',
      message: expect.stringContaining('No configured provider'),
    });
  });
});
