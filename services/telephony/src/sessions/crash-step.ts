import type { Call } from './call.ts';
import { isUncorrected } from './history.ts';
import type { BegunTool, Entry } from './ports.ts';

/**
 * The step of a call at which its worker crashed. `atWork`: the worker was working on the call, rather than waiting for the
 * human or the carrier, and may have crashed on it.
 */
export type CrashStep = { name: string; atWork: boolean };

/**
 * Crashes of workers that held a call: consecutive at its current step, and in total. Planned handovers don't count. A step that waits
 * counts from 1 again if its previous crash was more than a minute ago.
 */
export type CrashCounts = { atStep: number; total: number };

/** [trust.5] */
const MAX_AT_WORK = 2;
/** A worker that merely waits may die of another call, or with its machine. */
const MAX_WAITING = 3;
/** Crashes on a model's output or a human's text may each look like a different step. */
const MAX_TOTAL = 8;

export function crashStepOf(
  { state }: Pick<Call, 'state'>,
  record: readonly Entry[],
  interrupted: readonly BegunTool[],
): CrashStep {
  const tool = interrupted.at(-1);
  // The new worker records the interrupted tool, so the length of the record differs when the tool is used again.
  if (tool) return { name: `tool ${tool.toolName}`, atWork: true };
  // Selecting an assistant means its snapshot, its prompt and perhaps a client's webhook.
  if (state.phase !== 'up') return { name: state.phase, atWork: state.phase === 'selecting_assistant' };
  const heard = isSpoken(record) ? record.filter((entry) => !isUncorrected(entry)) : record;
  return { name: `turn ${heard.length}`, atWork: heard.at(-1)?.role !== 'agent' };
}

/** Whether the call must end: the next worker would probably crash on it as well. */
export function isPoison({ atWork }: CrashStep, { atStep, total }: CrashCounts): boolean {
  return atStep >= (atWork ? MAX_AT_WORK : MAX_WAITING) || total >= MAX_TOTAL;
}

/** In a spoken call, what a dead worker was saying is said again: it is the same step, however often it stands in the record. */
function isSpoken(record: readonly Entry[]): boolean {
  return record.some((entry) => entry.role === 'agent' && !isUncorrected(entry));
}
