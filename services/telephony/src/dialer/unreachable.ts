import { monotonicMs } from '@parley/kit/time';

/** Real time: the pause after an assistant could not be loaded, doubling with each failure. */
const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
/** At most this many are remembered; the oldest are loaded again. */
const MAX_REMEMBERED = 1_000;

/** Assistants that could not be loaded a moment ago: requests that wait for them must not block others. */
export type Unreachable = {
  failed(agentId: string): void;
  answered(agentId: string): void;
  /** Assistants in their pause. */
  current(): string[];
};

export function createUnreachable(nowMs = monotonicMs): Unreachable {
  const agents = new Map<string, { failures: number; untilMs: number }>();
  return {
    failed: (agentId) => {
      const failures = (agents.get(agentId)?.failures ?? 0) + 1;
      const untilMs = nowMs() + Math.min(MIN_PAUSE_MS * 2 ** Math.min(failures - 1, 16), MAX_PAUSE_MS);
      agents.delete(agentId);
      agents.set(agentId, { failures, untilMs });
      const [oldest] = agents.keys();
      if (agents.size > MAX_REMEMBERED && oldest !== undefined) agents.delete(oldest);
    },
    answered: (agentId) => void agents.delete(agentId),
    current: () => [...agents].flatMap(([agentId, { untilMs }]) => (untilMs > nowMs() ? [agentId] : [])),
  };
}
