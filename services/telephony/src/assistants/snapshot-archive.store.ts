import { type AssistantSnapshot, assistantSnapshot } from '@parley/contracts';
import { createCache } from '@parley/kit/cache';
import type { SecretBox } from '@parley/kit/secrets';
import type { Clock } from '@parley/kit/time';
import type { PrismaClient } from '../prisma.ts';
import type { SnapshotArchive } from './snapshot-ports.ts';

/** Versions that this process has stored. */
const MAX_STORED = 2_000;
/** Maximum of decrypted versions in memory, and of their characters as JSON. All calls of an assistant read the same version after their end. */
const MAX_OPEN = 50;
const MAX_OPEN_CHARACTERS = 4 * 1024 ** 2;

/** The location of a snapshot: sealed text that was copied elsewhere can't be decrypted. */
export const snapshotPlace = (agentId: string, version: number | string): string =>
  `agent_snapshots:sealed:${agentId}:${version}`;

/** The snapshots that calls use. Each is sealed as a whole, since its tools contain secrets. */
export function createSnapshotArchive(deps: {
  prisma: PrismaClient;
  secrets: SecretBox;
  clock: Clock;
}): SnapshotArchive {
  const { prisma, secrets, clock } = deps;
  const stored = createCache<string, true>({ maxEntries: MAX_STORED });
  const open = createCache<string, { snapshot: AssistantSnapshot; characters: number }>({
    maxEntries: MAX_OPEN,
    maxSize: MAX_OPEN_CHARACTERS,
    sizeOf: ({ characters }) => characters,
  });
  return {
    keep: async (snapshot) => {
      const { agent_id: agentId, version } = snapshot;
      const place = snapshotPlace(agentId, version);
      if (stored.get(place)) return;
      const sealed = secrets.seal(JSON.stringify(snapshot), place);
      const data = [{ agentId, version, sealed, createdAt: clock.now() }];
      await prisma.agentSnapshot.createMany({ data, skipDuplicates: true });
      stored.set(place, true);
    },

    read: async (agentId, version) => {
      const place = snapshotPlace(agentId, version);
      const opened = open.get(place);
      if (opened) return opened.snapshot;
      const row = await prisma.agentSnapshot.findUnique({
        where: { agentId_version: { agentId, version } },
        select: { sealed: true },
      });
      if (!row) return null;
      const text = secrets.open(row.sealed, place);
      const snapshot = assistantSnapshot.parse(JSON.parse(text));
      open.set(place, { snapshot, characters: text.length });
      return snapshot;
    },

    forgetOld: (unneededSince) => {
      const since = unneededSince.toISOString();
      return prisma.$executeRaw`
        DELETE FROM agent_snapshots s WHERE EXISTS (
          SELECT 1 FROM agent_snapshots newer
          WHERE newer.agent_id = s.agent_id AND newer.version > s.version AND newer.created_at < ${since}::timestamptz
        ) OR EXISTS (
          SELECT 1 FROM agents a WHERE a.agent_id = s.agent_id AND a.deleted AND a.deleted_at < ${since}::timestamptz)`;
    },
  };
}
