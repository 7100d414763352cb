import { retry } from '@parley/kit/concurrency';
import { isTransactionTimeout } from '@parley/kit/db';
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
/** An analysis that may have ended so many workers in a row is given up. */
const MAX_CRASHES = 5;
/** About 20 seconds in all, within the lease. */
const RELEASE_ATTEMPTS = 10;
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 15 * 60_000;

/** Doubles from 5 seconds to 15 minutes, in stack time. */
export function retryAfterMs(attempts: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 16), MAX_RETRY_MS);
}

const isPoison = ({ crashes }: DueAnalysis): boolean => crashes >= MAX_CRASHES;

function lastAttemptAt({ call }: DueAnalysis, now: Date): Date {
  return new Date((call.state.endedAt ?? now).getTime() + GIVE_UP_AFTER_MS);
}

/** The last attempt is at the deadline, not up to 15 minutes earlier. */
function nextAttemptAt(due: DueAnalysis, now: Date): Date {
  const retryMs = now.getTime() + retryAfterMs(due.attempts);
  return new Date(Math.min(retryMs, lastAttemptAt(due, now).getTime()));
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

const isTemporary = (err: unknown): boolean => isConnectivityError(err) || isTransactionTimeout(err);

/**
 * An outage or overload of the database is no crash. What the database refuses, or cannot store in time for three hours, stays claimed, so
 * that it is given up at last.
 */
async function releaseAfter(
  err: unknown,
  { queue, clock, log }: AnalyzeDeps,
  due: DueAnalysis,
): Promise<void> {
  const callId = due.call.id;
  const now = clock.now();
  const isOutage = isConnectivityError(err);
  try {
    if (!isTemporary(err) || (!isOutage && now >= lastAttemptAt(due, now))) throw err;
    log.warn(
      { err, callId },
      'result of an analysis could not be stored: it is released for another attempt',
    );
    // One that was given up without an analysis remains a suspect.
    const release = () =>
      queue.postpone(due, isOutage ? clock.now() : nextAttemptAt(due, now), { isHarmless: !isPoison(due) });
    await retry(release, { attempts: RELEASE_ATTEMPTS, isRetryable: isTemporary });
  } catch (failure) {
    log.warn({ err: failure, callId }, 'analysis stays claimed until its lease expires');
  }
}

async function analyze(
  { archive, findAnalyzer, queue, clock, log }: AnalyzeDeps,
  { due, record }: AnalysisJob,
  signal: AbortSignal,
): Promise<FinishedAnalysis | undefined> {
  const { agentId, agentVersion, id: callId } = due.call;
  const incomplete: FinishedAnalysis = { due, record, summary: null, data: null, complete: false };
  if (isPoison(due)) {
    log.error({ callId, crashes: due.crashes }, 'analysis given up: its workers crashed or hung');
    return incomplete;
  }
  try {
    const snapshot = await archive.read(agentId, agentVersion);
    const config = readCallConfig(snapshot?.config ?? {});
    return await analyzeCall(findAnalyzer(config.model), { due, record, config }, signal);
  } catch (err) {
    const now = clock.now();
    if (signal.aborted) {
      // Another worker takes it over, and does not count it as a crash.
      await queue.postpone(due, now, { isHarmless: false });
      return undefined;
    }
    const givesUp = now >= lastAttemptAt(due, now);
    log.warn({ err, callId, attempts: due.attempts, givesUp }, 'analysis failed');
    if (givesUp) return incomplete;
    await queue.postpone(due, nextAttemptAt(due, now), { isHarmless: true });
    return undefined;
  }
}
