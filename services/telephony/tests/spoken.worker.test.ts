import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLifecycle, type Lifecycle } from '@parley/kit/lifecycle';
import { realSleep } from '@parley/kit/time';
import { SpeechError } from '@parley/speech';
import { eventually } from '@parley/testkit';
import type { FindSpeech } from '../src/speech/find-speech.ts';
import { repeatPleaseIn } from '../src/speech/fixed-sentences.ts';
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
/** As in production. */
const SETTINGS = { silenceTimeout: 30 };

/** A call: what is recognized for each utterance of the human, who is chosen by the end of the number [running.2]. */
type Talk = {
  lines: string[];
  short?: string;
  lateMs?: number;
  ending: string;
  settings?: Record<string, unknown>;
};

const LINES = ['Hello, who is this?', 'My name is Ada Novak.', 'Yes, I am interested.', 'Goodbye.'];
const CONVERSATION: Talk = { lines: LINES, ending: '4242' };
const VOICEMAIL: Talk = {
  lines: ['You have reached our voicemail.', 'Please leave a message after the tone.'],
  short: '',
  lateMs: 1_200,
  ending: '0003',
  settings: { voicemail: { detection: true, action: 'leave_message', message: 'Please call us back.' } },
};
/** `expected`: the turns that begin the conversation. */
const HUMANS: { does: string; talk: Talk; expected: string[] }[] = [
  {
    does: 'presses keys',
    talk: { lines: LINES.slice(1), ending: '0014' },
    expected: ['Pressed 4 2.', ...LINES.slice(1, 3)],
  },
  {
    does: 'is in a noisy place',
    talk: { lines: LINES, ending: '0015' },
    expected: LINES.slice(0, 3),
  },
  {
    does: 'has a bad network',
    talk: { lines: LINES, ending: '0016' },
    expected: LINES.slice(0, 3),
  },
  {
    does: 'says "all right" while the assistant speaks',
    talk: { lines: LINES, short: 'All right.', ending: '0017' },
    expected: LINES.slice(0, 3),
  },
];

const noSpeech: FindSpeech = () =>
  Promise.reject(new SpeechError('speech', 'unavailable', 'No provider is configured'));

describe('a call with audio [running.11]', () => {
  let harness: Harness;
  let server: BucketServer;
  /** Each worker has a disk of its own. */
  const folders: string[] = [];
  /** By workspace: each call has one of its own. */
  const speech = new Map<string, FindSpeech>();
  let worker: Lifecycle;
  let metricsUrl = '';
  beforeAll(async () => {
    server = await bucketServer();
    harness = await startHarness({ ...REAL_TIME, ...server.env });
    worker = await startOther();
    startTalks();
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
    const findSpeech: FindSpeech = (choice) => (speech.get(choice.workspaceId) ?? noSpeech)(choice);
    await startWorker(context, lifecycle, { findSpeech });
    return lifecycle;
  };

  const timelineOf = async (workspaceId: string, id: string): Promise<Json[]> =>
    (await harness.ask(workspaceId, 'GET', `/v2/call/${id}/timeline`)).body.data;

  const talk = async ({ lines, ending, short, lateMs, settings }: Talk) => {
    const number = await connectNumber(harness, { settings: { ...SETTINGS, ...settings } });
    speech.set(number.workspaceId, speechOf(lines, { short, lateMs }));
    const id = await callFrom(harness, number, anyNumber(ending));
    const call = await eventually(() => finished(harness, number.workspaceId, id), PATIENCE);
    return { call, timeline: await timelineOf(number.workspaceId, id) };
  };

  /** Calls that no test disturbs, side by side: each takes half a minute of real time. */
  const talks = new Map<Talk, ReturnType<typeof talk>>();
  const startTalks = (): void => {
    // Others have margins of a fifth of a second: one that hears no voice for 1.2 s speaks, while a short sound silences the assistant for 1 s.
    for (const each of [CONVERSATION, ...HUMANS.map(({ talk }) => talk).filter(({ short }) => !short)]) {
      const talked = talk(each);
      // Its test reports a failure.
      talked.catch(() => {});
      talks.set(each, talked);
    }
  };
  const resultOf = (each: Talk) => talks.get(each) ?? talk(each);

  it('is a conversation of both sides, and tells how long each answer took [calls.21]', async () => {
    const { call, timeline } = await resultOf(CONVERSATION);
    expect(call).toMatchObject({ disconnection_reason: 'user_hangup' });
    const turns = timeline.filter(({ type }) => type === 'turn');
    const said = (role: string) => turns.filter((turn) => turn.role === role).map(({ content }) => content);
    expect(said('user')).toEqual(LINES.slice(0, said('user').length));
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
    const number = await connectNumber(harness, { settings: SETTINGS });
    const known = new Promise<void>((resolve) => {
      speech.set(number.workspaceId, speechOf(LINES, { onWords: (line) => line === LINES[1] && resolve() }));
    });
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
    expect(heard).toEqual(LINES.slice(0, heard.length));
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
    const number = await connectNumber(harness, { settings: SETTINGS });
    speech.set(number.workspaceId, speechOf(LINES));
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

  it('leaves its message once after the greeting and the beep of a machine [assistants.10] [running.11]', async () => {
    const { call, timeline } = await resultOf(VOICEMAIL);
    expect(call).toMatchObject({ disconnection_reason: 'voicemail' });
    const said = timeline.filter(({ type, role }) => type === 'turn' && role === 'agent');
    // The words of the greeting, recognized during the message, do not interrupt it.
    const messages = said.filter(({ content }) => content.startsWith('Please'));
    expect(messages).toMatchObject([{ content: 'Please call us back.', interrupted: false }]);
    const detected = timeline.find(({ type }) => type === 'machine_detected');
    expect(Date.parse(said.at(-1).at) - Date.parse(detected.at)).toBeGreaterThan(2_000);
  });

  it.each(HUMANS)('completes with a human who $does, uninterrupted', async ({ talk, expected }) => {
    const { call, timeline } = await resultOf(talk);
    expect(call).toMatchObject({ disconnection_reason: 'user_hangup' });
    const turns = timeline.filter(({ type }) => type === 'turn');
    const said = turns.filter(({ role }) => role === 'user').map(({ content }) => content);
    // An "all right" at the end of an answer is a reply to it.
    const words = said
      .join(' ')
      .replace(/\s*All right\.\s*/g, ' ')
      .trim();
    expect(words).toMatch(new RegExp(`^${expected.join(' ').replace(/[.?]/g, '\\$&')}`));
    const keys = timeline.filter(({ type }) => type === 'dtmf');
    expect(keys.map(({ digits }) => digits)).toEqual(talk.ending === '0014' ? ['42'] : []);
    expect(turns.filter(({ interrupted }) => interrupted)).toEqual([]);
  });

  it('without a speech provider ends with error, and reports why', async () => {
    const number = await connectNumber(harness);
    const id = await callFrom(harness, number, anyNumber('4242'));
    const call = await eventually(() => finished(harness, number.workspaceId, id), PATIENCE);
    expect(call).toMatchObject({
      disconnection_reason: 'error',
      summary: 'No words of the contact were recognized.',
    });
    expect((await timelineOf(number.workspaceId, id)).find(({ type }) => type === 'ended')).toMatchObject({
      cause: 'no_speech',
      message: expect.stringContaining('No configured provider'),
    });
  });
});
