import type { Call } from '../calls/call.ts';

/** How a worker says that it lives. Apart from all else that it does, so that being busy never looks like being dead. */
export type Heartbeat = {
  /** The worker lives for so many real milliseconds more. */
  beat(workerId: string, forMs: number): Promise<void>;
  /** Its calls are free for others at once. */
  resign(workerId: string): Promise<void>;
};

/** Who carries which call, and whose calls are nobody's any more. */
export type Workers = {
  /** Makes calls of workers that are dead this worker's own, with a higher fence. */
  takeOver(workerId: string, most: number): Promise<Call[]>;
  /** Those of the calls that are still the worker's, with a higher fence: nothing that it began of them counts. */
  retake(workerId: string, callIds: readonly string[]): Promise<Call[]>;
  /** The live calls that are this worker's, with their fences. */
  heldCalls(workerId: string): Promise<Map<string, number>>;
};
