import type { Call } from './call.ts';
import type { CrashCounts, CrashStep } from './crash-step.ts';

/** A worker's heartbeat, on its own connection: a busy worker must not look dead. */
export type Heartbeat = {
  /** Extends the lease by real milliseconds. */
  beat(workerId: string, forMs: number): Promise<void>;
  /** Frees its calls immediately. `handsOver`: a planned stop, not a crash caused by a call. */
  resign(workerId: string, stop: { handsOver: boolean }): Promise<void>;
};

/** `workerCrashed`: the previous worker died, or its lease expired. */
export type TakenCall = { call: Call; workerCrashed: boolean };

/** The assignment of calls to workers. */
export type Workers = {
  /** Takes calls of dead workers, with a higher fence. */
  takeOver(workerId: string, max: number): Promise<TakenCall[]>;
  /** Takes the worker's own calls again, with a higher fence: writes in progress become void. */
  retake(workerId: string, callIds: readonly string[]): Promise<Call[]>;
  /** Counts the crash of the previous worker at each call's step; returns the counts by call. */
  countCrashes(
    workerId: string,
    crashed: readonly { call: Call; step: CrashStep }[],
  ): Promise<Map<string, CrashCounts>>;
  /** The live calls that the worker holds, with their fences. */
  heldCalls(workerId: string): Promise<Map<string, number>>;
};
