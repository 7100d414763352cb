import type { KeySettings } from '@parley/contracts';
import type { KeyScope } from '@parley/kit/http';
import { type Cidr, parseCidr } from '@parley/kit/outbound';
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

const LIMITS = {
  requestsPerMinute: true,
  requestBurst: true,
  callsPerSecond: true,
  callBurst: true,
  suspendedAt: true,
  maxStoredMb: true,
  storedMb: true,
} as const satisfies Record<keyof WorkspaceLimits, true>;

export function createKeyLookup(prisma: PrismaClient, defaults: PublicKeyDefaults) {
  return {
    /** `hashes` of `createKeyHashes`. A key under another pepper than the first is moved to it. */
    findByHash: async (hashes: string): Promise<KnownKey | undefined> => {
      const { current, former } = hashesIn(hashes);
      const row = await prisma.apiKey.findFirst({
        where: { hash: former.length === 0 ? current : { in: [current, ...former] } },
        select: {
          id: true,
          hash: true,
          workspaceId: true,
          type: true,
          isActive: true,
          expiresAt: true,
          settings: true,
          workspace: { select: { ...LIMITS, deletedAt: true } },
        },
      });
      if (!row) return undefined;
      const {
        hash,
        workspace: { deletedAt, ...limits },
        ...key
      } = row;
      if (hash !== current)
        await prisma.apiKey.updateMany({ where: { id: key.id, hash }, data: { hash: current } });
      const type = key.type as KeyType;
      const settings = settingsOf(type, key.settings, defaults);
      return {
        ...key,
        type,
        // Covers keys that were created after the deletion of the workspace began.
        isActive: key.isActive && deletedAt === null,
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
