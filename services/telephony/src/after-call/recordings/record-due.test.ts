import { expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { dialingCall, START, snapshot } from '../../../tests/session-parts.ts';
import { type ClaimedRecording, type RecordDeps, recordCall } from './record-due.ts';

/** Records a call; returns what happened, in order. */
async function record(
  given: Partial<ClaimedRecording>,
  doubles: {
    finish?: () => Promise<boolean>;
    isSaved?: () => Promise<boolean>;
    put?: () => Promise<void>;
  } = {},
): Promise<string[]> {
  const events: string[] = [];
  const destination = { write: (line: string) => void events.push(JSON.parse(line).msg) };
  const deps = {
    queue: {
      finish: async (_due: unknown, stored: { key: string } | null) => {
        events.push(`finish ${stored?.key ?? null}`);
        return doubles.finish?.() ?? true;
      },
      isSaved: async () => doubles.isSaved?.() ?? false,
      release: async () => void events.push('release'),
      postpone: async () => void events.push('postpone'),
    },
    archive: { read: async () => snapshot },
    readRecords: async () => new Map(),
    recorder: { record: () => ({ seconds: 1, length: 1, bytes: [] }) },
    hasAudio: () => false,
    live: { collect: async () => null },
    store: {
      put: async (key: string) => {
        events.push(`put ${key}`);
        await doubles.put?.();
      },
      remove: async (key: string) => void events.push(`remove ${key}`),
      removeAll: async (callId: string) => void events.push(`remove all of ${callId}`),
    },
    share: { isUsedUp: () => false, isLimited: false },
    onOmitted: () => {},
    clock: { now: () => START },
    log: createLogger({ service: 'test', level: 'info', destination }),
  } as unknown as RecordDeps;
  const state = { ...dialingCall.state, answeredAt: new Date(0), endedAt: new Date(1_000) };
  const due = { call: { ...dialingCall, state }, attempts: 1, waits: 0, erased: false, isHeld: () => true };
  await recordCall(deps, { ...due, ...given }, new AbortController().signal);
  return events;
}

const { id } = dialingCall;

it('the file of a claim becomes the recording', async () => {
  expect(await record({})).toEqual([`put ${id}.wav`, `finish ${id}.wav`, 'recording stored']);
});

it('a later claim has a file of its own, and removes what others have left', async () => {
  expect(await record({ attempts: 3 })).toEqual([
    `remove all of ${id}`,
    `put ${id}.3.wav`,
    `finish ${id}.3.wav`,
    'recording stored',
  ]);
});

it('a claim that is void removes its file', async () => {
  const events = await record({}, { finish: async () => false });
  expect(events).toEqual([`put ${id}.wav`, `finish ${id}.wav`, `remove ${id}.wav`, 'release']);
});

it('a recording whose response is lost when it is saved keeps its file', async () => {
  const finish = () => Promise.reject(new Error('lost'));
  const events = await record({}, { finish, isSaved: async () => true });
  expect(events).toEqual([`put ${id}.wav`, `finish ${id}.wav`, 'recording failed', 'postpone']);
});

it('the last failure gives the recording up, unless its file may remain', async () => {
  const put = () => Promise.reject(new Error('fails'));
  const given = { attempts: 5 };
  const [all, stored] = [`remove all of ${id}`, `put ${id}.5.wav`];
  expect(await record(given, { put })).toEqual([
    all,
    stored,
    `remove ${id}.5.wav`,
    'recording failed',
    'finish null',
  ]);
  const isSaved = () => Promise.reject(new Error('fails'));
  const remains = 'the file of a recording that was not saved may remain';
  expect(await record(given, { put, isSaved })).toEqual([
    all,
    stored,
    remains,
    'recording waits',
    'postpone',
  ]);
});

it('a recording that has killed five workers is given up', async () => {
  expect(await record({ attempts: 6 })).toEqual([
    `remove all of ${id}`,
    'recording abandoned: no attempt finished',
    'finish null',
  ]);
});
