import { retry } from '@parley/kit/concurrency';
import { isTransactionTimeout } from '@parley/kit/db';
import { isConnectivityError } from '@parley/kit/errors';
import type { Log } from '@parley/kit/log';
import { type Clock, withDeadline } from '@parley/kit/time';
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
/** Real time until the last attempt to release a claim begins. With the 15 seconds of its statement, it ends before the claim expires. */
const RELEASE_TIMEOUT_MS = 60_000;
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

/** The last attempt is at the deadline, not up to 15 minutes earlier. Later ones, during an outage, have the backoff again. */
function nextAttemptAt(due: DueAnalysis, now: Date): Date {
  const retryAt = new Date(now.getTime() + retryAfterMs(due.attempts));
  const lastAt = lastAttemptAt(due, now);
  return now < lastAt && lastAt < retryAt ? lastAt : retryAt;
}

export type AnalysisJob = { due: DueAnalysis; record: readonly Entry[] };

/** `hasAnalyzed`: the analyzer has ended, with a result or an error. */
type Attempt = AnalysisJob & { signal: AbortSignal; hasAnalyzed: boolean };

/** Only an analyzer that has ended, and was not interrupted, proves that the call kills no worker. */
const isHarmless = ({ hasAnalyzed, signal }: Attempt): boolean => hasAnalyzed && !signal.aborted;

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
  const attempt: Attempt = { ...job, signal, hasAnalyzed: false };
  try {
    const finished = await inTraceOf(job.due.call, 'analyze', () => analyze(deps, attempt));
    if (finished) await deps.queue.finish(finished);
  } catch (err) {
    await releaseAfter(err, deps, attempt);
  }
}

const isTemporary = (err: unknown): boolean => isConnectivityError(err) || isTransactionTimeout(err);

/**
 * An outage or overload of the database is no crash. The next attempt has a backoff, since it may call a paid model again. What the database
 * refuses, or cannot store in time for three hours, stays claimed, so that it is given up at last.
 */
async function releaseAfter(
  err: unknown,
  { queue, clock, log }: AnalyzeDeps,
  attempt: Attempt,
): Promise<void> {
  const { due } = attempt;
  const callId = due.call.id;
  const now = clock.now();
  try {
    const isTooLate = !isConnectivityError(err) && now >= lastAttemptAt(due, now);
    if (!isTemporary(err) || isTooLate) throw err;
    log.warn(
      { err, callId },
      'result of an analysis could not be stored: it is released for another attempt',
    );
    const release = () =>
      queue.postpone(due, nextAttemptAt(due, clock.now()), { isHarmless: isHarmless(attempt) });
    await withDeadline(RELEASE_TIMEOUT_MS, (late) =>
      retry(release, { signal: late, isRetryable: isTemporary }),
    );
  } catch (failure) {
    log.warn({ err: failure, callId }, 'analysis stays claimed until its lease expires');
  }
}

async function analyze(
  { archive, findAnalyzer, queue, clock, log }: AnalyzeDeps,
  attempt: Attempt,
): Promise<FinishedAnalysis | undefined> {
  const { due, record, signal } = attempt;
  const { agentId, agentVersion, id: callId } = due.call;
  const incomplete: FinishedAnalysis = { due, record, summary: null, data: null, complete: false };
  if (isPoison(due)) {
    log.error({ callId, crashes: due.crashes }, 'analysis given up: its workers crashed or hung');
    return incomplete;
  }
  try {
    const snapshot = await archive.read(agentId, agentVersion);
    const config = readCallConfig(snapshot?.config ?? {});
    const analyzer = findAnalyzer(config.model);
    return await analyzeCall(analyzer, { due, record, config }, signal).finally(() => {
      attempt.hasAnalyzed = true;
    });
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
    await queue.postpone(due, nextAttemptAt(due, now), { isHarmless: isHarmless(attempt) });
    return undefined;
  }
}
