import { type AssistantSnapshot, assistantSnapshot } from '@parley/contracts';
import { createCache } from '@parley/kit/cache';
import type { Sql } from '@parley/kit/db';
import type { SecretBox } from '@parley/kit/secrets';
import type { Clock } from '@parley/kit/time';
import type { SnapshotArchive } from './snapshot-ports.ts';

/** Versions that this process knows to be kept. */
const MOST_KNOWN = 2_000;
/** Versions that are kept open, since all calls of an assistant read the same one after their end; and their characters as JSON. */
const MOST_OPEN = 50;
const MOST_OPEN_CHARACTERS = 4 * 1024 ** 2;

/** The location of a snapshot: sealed text that was copied elsewhere can't be decrypted. */
export const snapshotPlace = (agentId: string, version: number | string): string =>
  `agent_snapshots:sealed:${agentId}:${version}`;

/** Sealed as a whole, since tools contain secrets. */
export function createSnapshotArchive(deps: { sql: Sql; secrets: SecretBox; clock: Clock }): SnapshotArchive {
  const { sql, secrets, clock } = deps;
  const kept = new Set<string>();
  const open = createCache<string, { snapshot: AssistantSnapshot; characters: number }>({
    maxEntries: MOST_OPEN,
    maxSize: MOST_OPEN_CHARACTERS,
    sizeOf: ({ characters }) => characters,
  });
  return {
    keep: async (snapshot) => {
      const place = snapshotPlace(snapshot.agent_id, snapshot.version);
      if (kept.has(place)) return;
      await sql.$executeRawUnsafe(
        `INSERT INTO agent_snapshots (agent_id, version, sealed, created_at)
         VALUES ($1::uuid, $2, $3, $4::timestamptz) ON CONFLICT DO NOTHING`,
        snapshot.agent_id,
        snapshot.version,
        secrets.seal(JSON.stringify(snapshot), place),
        clock.now().toISOString(),
      );
      if (kept.size >= MOST_KNOWN) kept.clear();
      kept.add(place);
    },

    read: async (agentId, version): Promise<AssistantSnapshot | null> => {
      const place = snapshotPlace(agentId, version);
      const opened = open.get(place);
      if (opened) return opened.snapshot;
      const [row] = await sql.$queryRawUnsafe<{ sealed: string }[]>(
        'SELECT sealed FROM agent_snapshots WHERE agent_id = $1::uuid AND version = $2',
        agentId,
        version,
      );
      if (!row) return null;
      const text = secrets.open(row.sealed, place);
      const snapshot = assistantSnapshot.parse(JSON.parse(text));
      open.set(place, { snapshot, characters: text.length });
      return snapshot;
    },

    forgetOld: async (unneededSince) =>
      sql.$executeRawUnsafe(
        `DELETE FROM agent_snapshots s WHERE EXISTS (
           SELECT 1 FROM agent_snapshots newer
           WHERE newer.agent_id = s.agent_id AND newer.version > s.version AND newer.created_at < $1::timestamptz
         ) OR EXISTS (
           SELECT 1 FROM agents a WHERE a.agent_id = s.agent_id AND a.deleted AND a.deleted_at < $1::timestamptz)`,
        unneededSince.toISOString(),
      ),
  };
}
