import { promisify } from 'node:util';
import { afterEach, expect, it, jest } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { realSleep } from '@parley/kit/time';
import { dialingCall, ID, START, snapshot } from '../../../tests/session-parts.ts';
import { CLAIM_SECONDS, createAnalysisQueue } from './analysis-queue.store.ts';
import { type AnalysisJob, type AnalyzeDeps, analyzeDue } from './analyze-due.ts';

/** Never faked. */
const nextTurn = promisify(setImmediate);
afterEach(() => void jest.useRealTimers());

const MINUTE_MS = 60_000;

type Released = [delayMs: number, how: { isHarmless: boolean }];
type Doubles = {
  finish?: () => Promise<undefined>;
  /** Runs before each release. */
  postpone?: (attempts: number) => void;
  read?: () => Promise<unknown>;
  analyze?: () => Promise<unknown>;
  signal?: AbortSignal;
  afterMs?: number;
  crashes?: number;
  attempts?: number;
};

const log = createLogger({ service: 'test', level: 'silent' });

/** A call in which something was said, if `isSpoken`. */
function jobOf({ isSpoken = false, attempts = 1, crashes = 0 } = {}): AnalysisJob {
  const state = { ...dialingCall.state, endedAt: START, answeredAt: isSpoken ? START : null };
  const call = { ...dialingCall, id: ID, state };
  const due = { call, attempts, crashes, edition: 1, recordingKey: null, recordingSid: null };
  return {
    due,
    record: isSpoken ? [{ seq: 0, role: 'user', content: 'Hello', at: START }] : [],
  } as AnalysisJob;
}

/** Analyzes a call; returns how it was released, with the delays. */
async function releasesOf({ afterMs = MINUTE_MS, ...doubles }: Doubles): Promise<Released[]> {
  const released: Released[] = [];
  const now = new Date(START.getTime() + afterMs);
  let releases = 0;
  const deps = {
    queue: {
      finish: doubles.finish ?? (async () => undefined),
      postpone: async (_due: unknown, at: Date, how: { isHarmless: boolean }) => {
        releases += 1;
        doubles.postpone?.(releases);
        released.push([at.getTime() - now.getTime(), how]);
      },
    },
    archive: { read: doubles.read ?? (async () => snapshot) },
    findAnalyzer: () => ({ analyze: doubles.analyze }),
    clock: { now: () => now },
    log,
  } as unknown as AnalyzeDeps;
  const { crashes, attempts, signal = new AbortController().signal } = doubles;
  await analyzeDue(deps, jobOf({ isSpoken: doubles.analyze !== undefined, crashes, attempts }), signal);
  return released;
}

const releasesAfter = (err: Error, doubles: Doubles = {}): Promise<Released[]> =>
  releasesOf({ ...doubles, finish: () => Promise.reject(err) });

const failure = (code: string, message = 'x'): Error => Object.assign(new Error(message), { code });

it.each([
  ['57014', 'canceling statement due to statement timeout'],
  ['P2028', 'Transaction already closed'],
  ['P2028', 'Unable to start a transaction in the given time'],
  ['ECONNREFUSED', 'connection refused'],
])(
  'an analysis whose result the database could not store (%s %s) is no crash: it is retried with backoff [calls.13]',
  async (code, message) => {
    const err = failure(code, message);
    expect(await releasesAfter(err)).toEqual([[5_000, { isHarmless: true }]]);
    expect(await releasesAfter(err, { attempts: 3 })).toEqual([[20_000, { isHarmless: true }]]);
  },
);

it('an outage after three hours does not repeat the analysis at once [calls.13]', async () => {
  const afterOutage = (afterMs: number) =>
    releasesAfter(failure('ECONNREFUSED'), { afterMs, attempts: 9 }).then((releases) => releases[0]?.[0]);
  expect(await afterOutage(179 * MINUTE_MS)).toBe(MINUTE_MS);
  expect(await afterOutage(180 * MINUTE_MS)).toBe(15 * MINUTE_MS);
});

it('an analysis that was given up remains so, if that cannot be stored [calls.13]', async () => {
  expect(await releasesAfter(failure('57014'), { crashes: 5 })).toEqual([[5_000, { isHarmless: false }]]);
});

it('an analysis whose result the database refuses, or cannot store in time for three hours, stays claimed [calls.13]', async () => {
  expect(await releasesAfter(failure('22P02'))).toEqual([]);
  expect(await releasesAfter(failure('57014'), { afterMs: 180 * MINUTE_MS })).toEqual([]);
});

it('only an analyzer that has ended shows that a call is no suspect [calls.13]', async () => {
  const fails = () => Promise.reject(new Error('fails'));
  expect(await releasesOf({ analyze: fails })).toEqual([[5_000, { isHarmless: true }]]);
  expect(await releasesOf({ analyze: fails, read: fails })).toEqual([[5_000, { isHarmless: false }]]);
});

it('an interrupted analysis leaves the call a suspect, also if the release succeeds late [calls.13]', async () => {
  const stopping = new AbortController();
  const analyze = async () => {
    stopping.abort();
    throw new Error('aborted');
  };
  const postpone = (attempts: number) => {
    if (attempts === 1) throw failure('ECONNREFUSED');
  };
  expect(await releasesOf({ analyze, signal: stopping.signal })).toEqual([[0, { isHarmless: false }]]);
  const late = releasesOf({ analyze, signal: stopping.signal, postpone });
  expect(await late).toEqual([[5_000, { isHarmless: false }]]);
});

/** As many results as a worker has places, while each write takes 10 seconds and fails. Returns when each was released, in seconds. */
async function releaseSlowly(
  isReleased: () => boolean,
): Promise<{ releasedAt: number[]; endedAt: number[] }> {
  jest.useFakeTimers();
  const beganMs = performance.now();
  const seconds = () => (performance.now() - beganMs) / 1_000;
  const [releasedAt, endedAt]: [number[], number[]] = [[], []];
  const clock = { now: () => new Date(START.getTime() + MINUTE_MS) };
  const updateMany = async () => {
    await realSleep(15_000);
    if (!isReleased()) throw failure('57014');
    releasedAt.push(seconds());
  };
  const transaction = async () => {
    await realSleep(10_000);
    throw failure('P2028', 'Transaction already closed');
  };
  const queue = createAnalysisQueue({
    sql: { call: { updateMany } },
    outbox: { transaction },
    clock,
  } as never);
  const analyze = async () => {
    await realSleep(90_000);
    return { summary: 'They spoke.', data: {} };
  };
  const archive = { read: async () => snapshot };
  const deps = { queue, archive, findAnalyzer: () => ({ analyze }), clock, log } as unknown as AnalyzeDeps;
  const { signal } = new AbortController();
  for (let n = 0; n < 48; n += 1)
    void analyzeDue(deps, jobOf({ isSpoken: true }), signal).then(() => endedAt.push(seconds()));
  for (let n = 0; n < 1_000; n += 1) {
    jest.advanceTimersByTime(1_000);
    await nextTurn();
  }
  return { releasedAt, endedAt };
}

it('results that a slow database does not store are released before their claims expire, so that they are no crashes [calls.13]', async () => {
  const { releasedAt } = await releaseSlowly(() => true);
  expect(releasedAt).toHaveLength(48);
  expect(Math.max(...releasedAt)).toBeLessThan(CLAIM_SECONDS);
});

it('a claim that a slow database does not release is left before it expires', async () => {
  const { releasedAt, endedAt } = await releaseSlowly(() => false);
  expect([releasedAt, endedAt.length]).toEqual([[], 48]);
  expect(Math.max(...endedAt)).toBeLessThan(CLAIM_SECONDS);
});
