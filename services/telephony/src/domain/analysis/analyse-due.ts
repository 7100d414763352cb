import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import { readCallConfig } from '../conversation/call-config.ts';
import type { SnapshotArchive } from '../conversation/ports.ts';
import { analyseCall } from './analyse-call.ts';
import type { Analyser, AnalysisQueue, DueAnalysis, FinishedAnalysis } from './ports.ts';

export type AnalyseDeps = {
  queue: AnalysisQueue;
  archive: SnapshotArchive;
  analyser: Analyser;
  clock: Clock;
  log: Log;
};

const MOST = 50;
/** Stack time (D6.7): then the event goes out with what there is. */
const GIVE_UP_AFTER_MS = 3 * 3_600_000;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 15 * 60_000;

/** Doubling from 5 seconds to a quarter of an hour, in stack time. */
export function retryAfterMs(attempts: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 16), LONGEST_RETRY_MS);
}

/** Analyses calls that have ended, a batch at a time; true: there may be more. One call's failure holds up no other. */
export async function analyseDue(deps: AnalyseDeps, signal: AbortSignal): Promise<boolean> {
  const { queue, clock } = deps;
  const claimed = await queue.claim(clock.now(), MOST);
  if (claimed.length === 0) return false;
  const records = await queue.readRecords(claimed.map(({ call }) => call.id));
  const finished = await Promise.all(
    claimed.map((due) => analyse(deps, due, records.get(due.call.id) ?? [], signal)),
  );
  await queue.finish(
    finished.filter((item) => item !== undefined),
    clock.now(),
  );
  return claimed.length === MOST;
}

async function analyse(
  deps: AnalyseDeps,
  due: DueAnalysis,
  record: FinishedAnalysis['record'],
  signal: AbortSignal,
): Promise<FinishedAnalysis | undefined> {
  const { archive, analyser, queue, clock, log } = deps;
  const { agentId, agentVersion, id: callId, state } = due.call;
  try {
    const snapshot = await archive.read(agentId, agentVersion);
    return await analyseCall(
      analyser,
      { due, record, config: readCallConfig(snapshot?.config ?? {}) },
      signal,
    );
  } catch (err) {
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
