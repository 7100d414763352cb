import { REMOVERS, type RemovalAdvance, type RemoverName } from '@parley/contracts';

/*
 * queued → running → completed. A job calls the services in the order of REMOVERS, each until it has nothing left in this
 * pass; then the next pass begins. A pass after the first one that finds nothing and waits for nothing completes the job:
 * messages that were in flight between services during an earlier pass have arrived by then. There is no failed state;
 * an unreachable service is retried for as long as it takes.
 */

export type RemovalKind = 'erasure' | 'workspace';

export type Receipt = Partial<
  Record<RemoverName, Pick<RemovalAdvance, 'removed' | 'kept'> & { pass: number }>
>;

export type Progress = {
  pass: number;
  /** Index in REMOVERS. */
  service: number;
  found: number;
  waiting: string | null;
  waitingFor: string | null;
  receipt: Receipt;
};

export type Step = { progress: Progress; isComplete: boolean; pauseMs: number };

/** Real time in which messages between services arrive. */
const BETWEEN_PASSES_MS = 1_000;
const WAITING_MS = 2_000;

export function serviceOf({ service }: Progress): RemoverName {
  const name = REMOVERS[service];
  if (!name) throw new Error(`removal step ${service} has no service`);
  return name;
}

/** Applies a response of the current service. */
export function advanceProgress(progress: Progress, answer: RemovalAdvance): Step {
  const { done, found, waiting, removed, kept } = answer;
  const name = serviceOf(progress);
  const pass = done ? progress.pass : progress.pass - 1;
  const receipt = { ...progress.receipt, [name]: { removed, kept, pass } };
  if (!done) return { progress: { ...progress, receipt }, isComplete: false, pauseMs: 0 };
  const next = {
    ...progress,
    receipt,
    service: progress.service + 1,
    found: progress.found + found,
    waiting: progress.waiting ?? waiting,
  };
  if (next.service < REMOVERS.length) return { progress: next, isComplete: false, pauseMs: 0 };
  const isComplete = next.pass > 1 && next.found === 0 && next.waiting === null;
  if (isComplete) return { progress: { ...next, waitingFor: null }, isComplete, pauseMs: 0 };
  return {
    progress: {
      ...next,
      pass: next.pass + 1,
      service: 0,
      found: 0,
      waiting: null,
      waitingFor: next.waiting,
    },
    isComplete,
    pauseMs: next.waiting === null ? BETWEEN_PASSES_MS : WAITING_MS,
  };
}
