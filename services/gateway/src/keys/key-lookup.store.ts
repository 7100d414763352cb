import type { KeySettings } from '@parley/contracts';
import { queryRow, sql } from '@parley/kit/db';
import type { KeyScope } from '@parley/kit/http';
import { type Cidr, parseCidr } from '@parley/kit/outbound';
import { z } from 'zod';
import type { WorkspaceLimits } from '../limits/request-limits.ts';
import type { PrismaClient } from '../prisma.ts';
import type { KeyType } from './key-format.ts';
import { hashesIn } from './key-hashes.ts';
import { type PublicKeyDefaults, scopeOf, settingsOf } from './key-settings.ts';

/** The data of a key that requests need. */
export type KnownKey = {
  id: string;
  workspaceId: string;
  type: KeyType;
  isActive: boolean;
  expiresAt: Date | null;
  limits: WorkspaceLimits;
  settings: KeySettings;
  /** Restrictions enforced by the other services. */
  scope: KeyScope | undefined;
  /** The only networks it may be used from; undefined: any. */
  networks: Cidr[] | undefined;
};

const knownRow = z.object({
  id: z.string(),
  hash: z.string(),
  workspaceId: z.string(),
  type: z.enum(['private', 'public']),
  isActive: z.boolean(),
  expiresAt: z.date().nullable(),
  settings: z.unknown(),
  requestsPerMinute: z.number(),
  requestBurst: z.number().nullable(),
  callsPerSecond: z.number().nullable(),
  callBurst: z.number().nullable(),
  suspendedAt: z.date().nullable(),
  maxStoredMb: z.number().nullable(),
  storedMb: z.number(),
});

export function createKeyLookup(prisma: PrismaClient, defaults: PublicKeyDefaults) {
  return {
    /** `hashes` of `createKeyHashes`. A key under another pepper than the first is moved to it. */
    findByHash: async (hashes: string): Promise<KnownKey | undefined> => {
      const { current, former } = hashesIn(hashes);
      // In SQL, since each busy key is read twice a second: the model API needs two queries, and three times the processor time.
      const row = await queryRow(
        prisma,
        knownRow,
        sql`
        SELECT k.id::text, k.hash, k.workspace_id::text AS "workspaceId", k.type, k.expires_at AS "expiresAt", k.settings,
          -- Covers keys that were created after the deletion of the workspace began.
          k.is_active AND w.deleted_at IS NULL AS "isActive",
          w.requests_per_minute AS "requestsPerMinute", w.request_burst AS "requestBurst",
          w.calls_per_second AS "callsPerSecond", w.call_burst AS "callBurst", w.suspended_at AS "suspendedAt",
          w.max_stored_mb AS "maxStoredMb", w.stored_mb AS "storedMb"
        FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id
        WHERE k.hash = ANY (${[current, ...former]})
        LIMIT 1`,
      );
      if (!row) return undefined;
      const { id, hash, workspaceId, type, isActive, expiresAt, settings: own, ...limits } = row;
      if (hash !== current) await prisma.apiKey.updateMany({ where: { id, hash }, data: { hash: current } });
      const settings = settingsOf(type, own, defaults);
      return {
        id,
        workspaceId,
        type,
        isActive,
        expiresAt,
        limits,
        settings,
        scope: scopeOf(type, settings),
        networks: settings.allowed_networks?.map(parseCidr),
      };
    },
    markUsed: async (ids: readonly string[], at: Date): Promise<void> => {
      await prisma.apiKey.updateMany({ where: { id: { in: [...ids] } }, data: { lastUsedAt: at } });
    },
  };
}
