import type { AssistantSnapshot } from '@parley/contracts';
import { monotonicMs } from '@parley/kit/time';
import type { AssistantSnapshots } from '../clients/ports.ts';

export type RecentSnapshots = {
  /** A snapshot of a moment ago will do, if it is of the version that was heard of or of a later one. */
  get(workspaceId: string, agentId: string, heardVersion?: number): Promise<AssistantSnapshot | null>;
};

/** Real time: how long calls of one assistant are dialled without asking for it again. */
const FRESH_MS = 500;

type Answer = { snapshot: Promise<AssistantSnapshot | null>; askedMs: number };

/**
 * Asks for an assistant at most every half second, and once for those who ask together; at once after a change that
 * telephony has heard of. Failures are not kept.
 */
export function recentSnapshots(snapshots: AssistantSnapshots, nowMs = monotonicMs): RecentSnapshots {
  const answers = new Map<string, Answer>();
  const forgetOld = (): void => {
    for (const [key, { askedMs }] of answers) if (nowMs() - askedMs >= FRESH_MS) answers.delete(key);
  };
  const ask = (key: string, workspaceId: string, agentId: string): Promise<AssistantSnapshot | null> => {
    forgetOld();
    const snapshot = snapshots.get(workspaceId, agentId);
    const answer = { snapshot, askedMs: nowMs() };
    answers.set(key, answer);
    snapshot.catch(() => {
      if (answers.get(key) === answer) answers.delete(key);
    });
    return snapshot;
  };

  return {
    get: async (workspaceId, agentId, heardVersion = 0) => {
      const key = `${workspaceId}:${agentId}`;
      const known = answers.get(key);
      if (!known || nowMs() - known.askedMs >= FRESH_MS) return ask(key, workspaceId, agentId);
      const snapshot = await known.snapshot;
      if (!snapshot || snapshot.version >= heardVersion) return snapshot;
      // Whoever found out first has asked anew.
      const newer = answers.get(key);
      return newer && newer !== known ? newer.snapshot : ask(key, workspaceId, agentId);
    },
  };
}
