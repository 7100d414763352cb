import { expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { dialingCall, ID, START, snapshot } from '../../../tests/session-parts.ts';
import { type AnalyzeDeps, analyzeDue } from './analyze-due.ts';

const MINUTE_MS = 60_000;

/** Analyzes a call whose result cannot be stored; returns how it was released, with the delay. */
async function releasesAfter(
  err: Error,
  { afterMs = MINUTE_MS, crashes = 0, attempts = 1 } = {},
): Promise<[number, { isHarmless: boolean }][]> {
  const released: [number, { isHarmless: boolean }][] = [];
  const now = new Date(START.getTime() + afterMs);
  const deps = {
    queue: {
      finish: () => Promise.reject(err),
      postpone: async (_due: unknown, at: Date, how: { isHarmless: boolean }) =>
        void released.push([at.getTime() - now.getTime(), how]),
    },
    archive: { read: async () => snapshot },
    findAnalyzer: () => ({ analyze: () => Promise.reject(new Error('is not needed')) }),
    clock: { now: () => now },
    log: createLogger({ service: 'test', level: 'silent' }),
  } as unknown as AnalyzeDeps;
  const call = { ...dialingCall, id: ID, state: { ...dialingCall.state, endedAt: START } };
  const due = { call, attempts, crashes, edition: 1, recordingKey: null, recordingSid: null };
  await analyzeDue(deps, { due, record: [] }, new AbortController().signal);
  return released;
}

const failure = (code: string): Error => Object.assign(new Error('x'), { code });

it.each(['57014', 'P2028'])(
  'an analysis whose result the database could not store in time (%s) is no crash: it is retried with backoff [calls.13]',
  async (code) => {
    expect(await releasesAfter(failure(code))).toEqual([[5_000, { isHarmless: true }]]);
    expect(await releasesAfter(failure(code), { attempts: 3 })).toEqual([[20_000, { isHarmless: true }]]);
  },
);

it('an analysis whose result could not be stored in an outage is released at once [calls.13]', async () => {
  expect(await releasesAfter(failure('ECONNREFUSED'))).toEqual([[0, { isHarmless: true }]]);
});

it('an analysis that was given up remains so, if that cannot be stored [calls.13]', async () => {
  expect(await releasesAfter(failure('57014'), { crashes: 5 })).toEqual([[5_000, { isHarmless: false }]]);
});

it('an analysis whose result the database refuses, or cannot store in time for three hours, stays claimed [calls.13]', async () => {
  expect(await releasesAfter(failure('22P02'))).toEqual([]);
  expect(await releasesAfter(failure('57014'), { afterMs: 180 * MINUTE_MS })).toEqual([]);
});
