import { describe, expect, it } from '@jest/globals';
import { REMOVERS, type RemovalAdvance } from '@parley/contracts';
import { advanceProgress, type Progress, type Step } from './removal-job.ts';

const START: Progress = { pass: 1, service: 0, found: 0, waiting: null, waitingFor: null, receipt: {} };
const answer = (over: Partial<RemovalAdvance> = {}): RemovalAdvance => ({
  done: true,
  found: 0,
  waiting: null,
  removed: {},
  kept: [],
  ...over,
});

/** A pass in which each service returns the given progress. */
function pass(from: Progress, over: Partial<RemovalAdvance> = {}): Step {
  let step: Step = { progress: from, isComplete: false, pauseMs: 0 };
  for (const _ of REMOVERS) step = advanceProgress(step.progress, answer(over));
  return step;
}

describe('advanceProgress', () => {
  it('stays at a service until it is done', () => {
    const { progress, isComplete } = advanceProgress(START, answer({ done: false, found: 3 }));
    expect([progress.service, progress.found, isComplete]).toEqual([0, 0, false]);
  });

  it('makes at least two passes, because data in transit may arrive behind the first', () => {
    const first = pass(START);
    expect([first.isComplete, first.progress.pass, first.progress.service]).toEqual([false, 2, 0]);
    expect(first.pauseMs).toBeGreaterThan(0);
    expect(pass(first.progress).isComplete).toBe(true);
  });

  it('makes another pass while any pass finds or waits for something', () => {
    const found = pass(pass(START).progress, { found: 1 });
    expect(found.isComplete).toBe(false);
    const waits = pass(found.progress, { waiting: 'a call' });
    expect([waits.isComplete, waits.progress.waitingFor]).toEqual([false, 'a call']);
    const last = pass(waits.progress);
    expect([last.isComplete, last.progress.waitingFor]).toEqual([true, null]);
  });

  it('keeps the last response of each service', () => {
    const first = pass(START, { removed: { calls: 2 } });
    const second = pass(first.progress, { removed: { calls: 3 } });
    expect(Object.keys(second.progress.receipt)).toEqual([...REMOVERS]);
    expect(second.progress.receipt.telephony).toEqual({ removed: { calls: 3 }, kept: [], pass: 2 });
  });
});
