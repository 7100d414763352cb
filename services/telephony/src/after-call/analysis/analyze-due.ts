import { retry } from '@parley/kit/concurrency';
import { isConnectivityError } from '@parley/kit/errors';
import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import { readCallConfig } from '../../assistants/call-config.ts';
import type { SnapshotArchive } from '../../assistants/snapshot-ports.ts';
import type { Entry } from '../../sessions/ports.ts';
import { inTraceOf } from '../../sessions/trace-of-call.ts';
import type { FairClaim } from '../fair-claim.ts';
import type { AnalysisQueue } from './analysis-queue.store.ts';
import { analyzeCall, type DueAnalysis, type FinishedAnalysis } from './analyze-call.ts';
import type { FindAnalyzer } from './ports.ts';

export type AnalyzeDeps = {
  queue: AnalysisQueue;
  archive: SnapshotArchive;
  findAnalyzer: FindAnalyzer;
  clock: Clock;
  log: Log;
};

/** Stack time; after this the event is sent without the missing parts [calls.13]. */
const GIVE_UP_AFTER_MS = 3 * 3_600_000;
/** A call whose analysis may have ended so many workers is not given to another one. */
const MAX_CRASHES = 5;
/** About 20 seconds in all, within the lease. */
const RELEASE_ATTEMPTS = 10;
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 15 * 60_000;

/** Doubles from 5 seconds to 15 minutes, in stack time. */
export function retryAfterMs(attempts: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 16), MAX_RETRY_MS);
}

export type AnalysisJob = { due: DueAnalysis; record: readonly Entry[] };

/** Claims ended calls and reads their records. */
export async function claimAnalyses({ queue }: AnalyzeDeps, claim: FairClaim): Promise<AnalysisJob[]> {
  const claimed = await queue.claim(claim);
  if (claimed.length === 0) return [];
  // Without an answer there was no conversation.
  const answered = claimed.filter(({ call }) => call.state.answeredAt);
  const records = await queue.readRecords(answered.map(({ call }) => call.id));
  return claimed.map((due) => ({ due, record: records.get(due.call.id) ?? [] }));
}

/** Analyses a call and publishes the result, or schedules a retry. Never rejects. */
export async function analyzeDue(deps: AnalyzeDeps, job: AnalysisJob, signal: AbortSignal): Promise<void> {
  const { queue } = deps;
  try {
    const finished = await inTraceOf(job.due.call, 'analyze', () => analyze(deps, job, signal));
    if (finished) await queue.finish(finished);
  } catch (err) {
    await releaseAfter(err, deps, job.due);
  }
}

/** An outage of the database is no crash. What the database refuses stays claimed, so that it is given up at last. */
async function releaseAfter(
  err: unknown,
  { queue, clock, log }: AnalyzeDeps,
  due: DueAnalysis,
): Promise<void> {
  const callId = due.call.id;
  try {
    if (!isConnectivityError(err)) throw err;
    log.warn(
      { err, callId },
      'result of an analysis could not be stored: it is released for another attempt',
    );
    const release = () => queue.postpone(due, clock.now());
    await retry(release, { attempts: RELEASE_ATTEMPTS, isRetryable: isConnectivityError });
  } catch (failure) {
    log.warn({ err: failure, callId }, 'analysis stays claimed until its lease expires');
  }
}

async function analyze(
  { archive, findAnalyzer, queue, clock, log }: AnalyzeDeps,
  { due, record }: AnalysisJob,
  signal: AbortSignal,
): Promise<FinishedAnalysis | undefined> {
  const { agentId, agentVersion, id: callId, state } = due.call;
  const incomplete: FinishedAnalysis = { due, record, summary: null, data: null, complete: false };
  if (due.crashes >= MAX_CRASHES) {
    log.error({ callId, crashes: due.crashes }, 'analysis given up: its workers crashed or hung');
    return incomplete;
  }
  try {
    const snapshot = await archive.read(agentId, agentVersion);
    const config = readCallConfig(snapshot?.config ?? {});
    return await analyzeCall(findAnalyzer(config.model), { due, record, config }, signal);
  } catch (err) {
    const nowMs = clock.now().getTime();
    if (signal.aborted) {
      // Another worker takes it over, and does not count it as a crash.
      await queue.postpone(due, new Date(nowMs));
      return undefined;
    }
    const lastMs = (state.endedAt?.getTime() ?? nowMs) + GIVE_UP_AFTER_MS;
    const givesUp = nowMs >= lastMs;
    log.warn({ err, callId, attempts: due.attempts, givesUp }, 'analysis failed');
    if (givesUp) return incomplete;
    // The last attempt is at the deadline, not up to 15 minutes earlier.
    await queue.postpone(due, new Date(Math.min(nowMs + retryAfterMs(due.attempts), lastMs)));
    return undefined;
  }
}
