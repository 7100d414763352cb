import { type AssistantSnapshot, getAssistantSnapshot } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import type { ServiceClient } from '@parley/kit/http';
import { monotonicMs } from '@parley/kit/time';
import type { AgentCopies } from '../assistants/ports.ts';
import type { AssistantSnapshots } from './ports.ts';

/** How old a copy may be that answers while assistants is away. */
const STALE_MS = 10 * 60_000;
/** Snapshots are at most a few hundred kilobytes. */
const MOST_COPIES = 500;

type Copy = { snapshot: AssistantSnapshot; confirmedMs: number };

/**
 * Asks assistants each time, with the version of the copy: an unchanged assistant costs a few bytes. While assistants is
 * away a copy serves, unless telephony has heard of a newer version or of the deletion. The map keeps copies in the order
 * of their use, and the ones that were not used for longest go.
 */
export function createAssistantSnapshots(
  peer: ServiceClient,
  heardOf: AgentCopies['heardOf'],
  nowMs = monotonicMs,
): AssistantSnapshots {
  const copies = new Map<string, Copy>();

  const keep = (key: string, snapshot: AssistantSnapshot): AssistantSnapshot => {
    copies.delete(key);
    copies.set(key, { snapshot, confirmedMs: nowMs() });
    const [oldest] = copies.keys();
    if (copies.size > MOST_COPIES && oldest !== undefined) copies.delete(oldest);
    return snapshot;
  };

  const ask = async (workspaceId: string, agentId: string, copy: Copy | undefined) => {
    const query = copy ? { known_version: copy.snapshot.version } : {};
    const answer = await peer.call(getAssistantSnapshot, { params: { id: agentId }, query }, { workspaceId });
    // No snapshot means that ours is the one.
    return answer.snapshot ?? copy?.snapshot ?? null;
  };

  return {
    get: async (workspaceId, agentId) => {
      const key = `${workspaceId}:${agentId}`;
      const copy = copies.get(key);
      try {
        const snapshot = await ask(workspaceId, agentId, copy);
        return snapshot && keep(key, snapshot);
      } catch (err) {
        if (err instanceof AppError && err.code === 'NOT_FOUND') {
          copies.delete(key);
          return null;
        }
        if (!copy || nowMs() - copy.confirmedMs > STALE_MS) throw err;
        const heard = (await heardOf([agentId])).get(agentId);
        if (heard?.isDeleted) return null;
        if (heard && heard.version > copy.snapshot.version) throw err;
        return copy.snapshot;
      }
    },
  };
}
