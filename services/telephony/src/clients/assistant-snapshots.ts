import { type AssistantSnapshot, getAssistantSnapshot } from '@parley/contracts';
import { createCache } from '@parley/kit/cache';
import { AppError } from '@parley/kit/errors';
import type { ServiceClient } from '@parley/kit/http';
import { monotonicMs } from '@parley/kit/time';
import type { AgentCopies } from '../assistants/ports.ts';
import type { AssistantSnapshots } from './ports.ts';

/** Maximum age of a copy that is used while assistants is unavailable. */
const STALE_MS = 10 * 60_000;
/** Nearly all snapshots have a few kilobytes. */
const MAX_COPIES = 500;
const MAX_CHARACTERS = 8 * 1024 ** 2;

/** `characters`: of the snapshot as JSON. */
type Copy = { snapshot: AssistantSnapshot; characters: number; confirmedMs: number };

/**
 * Calls assistants each time, with the version of the copy: an unchanged assistant costs a few bytes. While assistants is
 * unavailable, a copy is used unless telephony knows of a newer version or of the deletion. The least recently used copies
 * are evicted.
 */
export function createAssistantSnapshots(
  peer: ServiceClient,
  knownVersions: AgentCopies['knownVersions'],
  nowMs = monotonicMs,
): AssistantSnapshots {
  const copies = createCache<string, Copy>({
    maxEntries: MAX_COPIES,
    maxSize: MAX_CHARACTERS,
    sizeOf: ({ characters }) => characters,
  });

  const keep = (key: string, snapshot: AssistantSnapshot, before: Copy | undefined): AssistantSnapshot => {
    const characters = before?.snapshot === snapshot ? before.characters : JSON.stringify(snapshot).length;
    copies.set(key, { snapshot, characters, confirmedMs: nowMs() });
    return snapshot;
  };

  const load = async (workspaceId: string, agentId: string, copy: Copy | undefined) => {
    const query = copy ? { known_version: copy.snapshot.version } : {};
    const answer = await peer.call(getAssistantSnapshot, { params: { id: agentId }, query }, { workspaceId });
    // No snapshot in the response: our copy is current.
    return answer.snapshot ?? copy?.snapshot ?? null;
  };

  return {
    get: async (workspaceId, agentId) => {
      const key = `${workspaceId}:${agentId}`;
      const copy = copies.get(key);
      try {
        const snapshot = await load(workspaceId, agentId, copy);
        return snapshot && keep(key, snapshot, copy);
      } catch (err) {
        if (err instanceof AppError && err.code === 'NOT_FOUND') {
          copies.delete(key);
          return null;
        }
        if (!copy || nowMs() - copy.confirmedMs > STALE_MS) throw err;
        const known = (await knownVersions([agentId])).get(agentId);
        if (known?.isDeleted) return null;
        if (known && known.version > copy.snapshot.version) throw err;
        return copy.snapshot;
      }
    },
  };
}
