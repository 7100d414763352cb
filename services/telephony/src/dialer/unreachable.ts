import { monotonicMs } from '@parley/kit/time';

/** Real time: how long an assistant that could not be asked for is left alone, doubling with each failure. */
const FIRST_MS = 250;
const LONGEST_MS = 5_000;
/** More than this are not remembered: the oldest are simply asked for again. */
const MOST = 1_000;

/** Assistants that could not be asked for a moment ago: who waits for them must not stand in the way of others. */
export type Unreachable = {
  failed(agentId: string): void;
  answered(agentId: string): void;
  /** Those that are not to be asked for yet. */
  current(): string[];
};

export function createUnreachable(nowMs = monotonicMs): Unreachable {
  const agents = new Map<string, { failures: number; untilMs: number }>();
  return {
    failed: (agentId) => {
      const failures = (agents.get(agentId)?.failures ?? 0) + 1;
      const untilMs = nowMs() + Math.min(FIRST_MS * 2 ** Math.min(failures - 1, 16), LONGEST_MS);
      agents.delete(agentId);
      agents.set(agentId, { failures, untilMs });
      const [oldest] = agents.keys();
      if (agents.size > MOST && oldest !== undefined) agents.delete(oldest);
    },
    answered: (agentId) => void agents.delete(agentId),
    current: () => [...agents].flatMap(([agentId, { untilMs }]) => (untilMs > nowMs() ? [agentId] : [])),
  };
}
