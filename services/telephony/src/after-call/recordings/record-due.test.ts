import { expect, it } from '@jest/globals';
import { AppError } from '@parley/kit/errors';
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
    remove?: () => Promise<void>;
    removeAll?: () => Promise<void>;
    isClaimed?: () => Promise<boolean>;
  } = {},
): Promise<string[]> {
  const events: string[] = [];
  const destination = {
    write: (line: string) => {
      const { level, msg } = JSON.parse(line);
      events.push(level === 'error' ? `error: ${msg}` : msg);
    },
  };
  const deps = {
    queue: {
      finish: async (_due: unknown, stored: { key: string } | null) => {
        events.push(`finish ${stored?.key ?? null}`);
        return doubles.finish?.() ?? true;
      },
      voidClaim: async (due: ClaimedRecording) => {
        events.push('void');
        return { ...due, attempts: due.attempts + 1, waits: due.waits + 1 };
      },
      isClaimed: async () => {
        events.push('check');
        return doubles.isClaimed?.() ?? true;
      },
      isSaved: async () => doubles.isSaved?.() ?? false,
      release: async () => void events.push('release'),
      postpone: async () => void events.push('postpone'),
      announce: async () => void events.push('announce'),
    },
    archive: { read: async () => snapshot },
    readRecords: async () => new Map(),
    recorder: { record: () => ({ seconds: 1, length: 2, bytes: [Buffer.alloc(1), Buffer.alloc(1)] }) },
    hasAudio: () => false,
    live: { collect: async () => null },
    store: {
      put: async (key: string, { bytes }: { bytes: AsyncIterable<Uint8Array> }) => {
        events.push(`put ${key}`);
        for await (const _ of bytes);
        await doubles.put?.();
      },
      remove: async (key: string) => {
        events.push(`remove ${key}`);
        await doubles.remove?.();
      },
      removeAll: async (callId: string) => {
        events.push(`remove all of ${callId}`);
        await doubles.removeAll?.();
      },
    },
    share: { isUsedUp: () => false, isLimited: false },
    onOmitted: () => {},
    watchLease: () => () => true,
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
  expect(events).toEqual([`put ${id}.wav`, `finish ${id}.wav`, 'void', `remove ${id}.wav`, 'release']);
});

it('a recording whose response is lost when it is saved keeps its file', async () => {
  const finish = () => Promise.reject(new Error('lost'));
  const events = await record({}, { finish, isSaved: async () => true });
  expect(events).toEqual([`put ${id}.wav`, `finish ${id}.wav`, 'void', 'recording failed', 'postpone']);
});

it('the last failure gives the recording up, unless its file may remain', async () => {
  const put = () => Promise.reject(new Error('fails'));
  const given = { attempts: 5 };
  const [all, stored] = [`remove all of ${id}`, `put ${id}.5.wav`];
  expect(await record(given, { put })).toEqual([
    all,
    stored,
    `remove ${id}.5.wav`,
    'error: recording failed',
    'finish null',
  ]);
  const remove = () => Promise.reject(new Error('fails'));
  const remains = 'the file of a recording that was not saved may remain';
  expect(await record(given, { put, remove })).toEqual([
    all,
    stored,
    `remove ${id}.5.wav`,
    remains,
    'recording waits',
    'postpone',
  ]);
});

it.each([5, 6])(
  'claim %i waits while files of former ones cannot be removed, whatever the error is',
  async (attempts) => {
    const removeAll = () =>
      Promise.reject(Object.assign(new Error('read-only file system'), { code: 'EROFS' }));
    const events = await record({ attempts }, { removeAll });
    expect(events).toEqual([`remove all of ${id}`, 'recording waits', 'postpone']);
  },
);

it('files of former claims that cannot be removed for half an hour are an error, since an erasure may wait for it [trust.19]', async () => {
  const removeAll = () => Promise.reject(new Error('read-only file system'));
  const waiting = async (waits: number) =>
    (await record({ attempts: waits + 2, waits }, { removeAll })).slice(1);
  expect(await waiting(3)).toEqual(['recording waits', 'postpone']);
  expect(await waiting(4)).toEqual(['recording waits', 'announce', 'postpone']);
  expect(await waiting(11)).toEqual(['recording waits', 'announce', 'postpone']);
  for (const waits of [12, 100])
    expect(await waiting(waits)).toEqual(['error: recording waits', 'announce', 'postpone']);
});

it('a recording that has killed five workers is given up', async () => {
  expect(await record({ attempts: 6 })).toEqual([
    `remove all of ${id}`,
    'error: recording abandoned: no attempt finished',
    'finish null',
  ]);
});

it('a worker whose heartbeat was late reads from the database, once that is available, whether it has lost the recording', async () => {
  const isHeld = () => false;
  let failures = 0;
  const isClaimed = async () => {
    failures += 1;
    if (failures === 1) throw new AppError('SERVICE_UNAVAILABLE', 'fails over');
    return true;
  };
  const saved = [`finish ${id}.wav`, 'recording stored'];
  expect(await record({ isHeld }, { isClaimed })).toEqual([`put ${id}.wav`, 'check', 'check', ...saved]);
  expect(await record({ isHeld }, { isClaimed: async () => false })).toEqual([
    `put ${id}.wav`,
    'check',
    `remove ${id}.wav`,
    'recording waits',
    'postpone',
  ]);
});
