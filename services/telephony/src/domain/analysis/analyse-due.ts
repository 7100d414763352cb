import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import type { Entry } from '../calls/ports.ts';
import { inTraceOf } from '../calls/trace-of-call.ts';
import { readCallConfig } from '../conversation/call-config.ts';
import type { SnapshotArchive } from '../conversation/ports.ts';
import { analyseCall } from './analyse-call.ts';
import type { AnalysisQueue, DueAnalysis, FindAnalyser, FinishedAnalysis } from './ports.ts';

export type AnalyseDeps = {
  queue: AnalysisQueue;
  archive: SnapshotArchive;
  findAnalyser: FindAnalyser;
  clock: Clock;
  log: Log;
};

/** Stack time (D6.7): then the event goes out with what there is. */
const GIVE_UP_AFTER_MS = 3 * 3_600_000;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 15 * 60_000;

/** Doubling from 5 seconds to a quarter of an hour, in stack time. */
export function retryAfterMs(attempts: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 16), LONGEST_RETRY_MS);
}

export type AnalysisJob = { due: DueAnalysis; record: readonly Entry[] };

/** Claims calls that have ended, with what is on record of them. */
export async function claimAnalyses({ queue, clock }: AnalyseDeps, most: number): Promise<AnalysisJob[]> {
  const claimed = await queue.claim(clock.now(), most);
  if (claimed.length === 0) return [];
  const records = await queue.readRecords(claimed.map(({ call }) => call.id));
  return claimed.map((due) => ({ due, record: records.get(due.call.id) ?? [] }));
}

/** Analyses one call and tells of it, or sees to it that it is tried again. Never rejects. */
export async function analyseDue(deps: AnalyseDeps, job: AnalysisJob, signal: AbortSignal): Promise<void> {
  const { queue, log } = deps;
  try {
    const finished = await inTraceOf(job.due.call, 'analyse', () => analyse(deps, job, signal));
    if (finished) await queue.finish(finished);
  } catch (err) {
    log.warn({ err, callId: job.due.call.id }, 'analysis stays claimed until its lease is over');
  }
}

async function analyse(
  { archive, findAnalyser, queue, clock, log }: AnalyseDeps,
  { due, record }: AnalysisJob,
  signal: AbortSignal,
): Promise<FinishedAnalysis | undefined> {
  const { agentId, agentVersion, id: callId, state } = due.call;
  try {
    const snapshot = await archive.read(agentId, agentVersion);
    const config = readCallConfig(snapshot?.config ?? {});
    return await analyseCall(findAnalyser(config.model), { due, record, config }, signal);
  } catch (err) {
    // Another worker goes on with it as soon as this one is gone.
    if (signal.aborted) return undefined;
    const nowMs = clock.now().getTime();
    const lastMs = (state.endedAt?.getTime() ?? nowMs) + GIVE_UP_AFTER_MS;
    const givesUp = nowMs >= lastMs;
    log.warn({ err, callId, attempts: due.attempts, givesUp }, 'analysis failed');
    if (givesUp) return { due, record, summary: null, data: null, complete: false };
    // The last attempt is made when the time is up, not up to a quarter of an hour before.
    await queue.postpone(due, new Date(Math.min(nowMs + retryAfterMs(due.attempts), lastMs)));
    return undefined;
  }
}
