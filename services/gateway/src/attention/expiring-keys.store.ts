import type { AttentionItem } from '@parley/contracts';
import { type Clock, toIsoMillis } from '@parley/kit/time';
import type { PrismaClient } from '../prisma.ts';

export type ExpiringKeys = (workspaceId: string) => Promise<AttentionItem[]>;

const SOON_MS = 14 * 86_400_000;
const MAX_SHOWN = 20;

/** Active keys that expire within 14 days, the next ones first [analytics.10]. Expired keys are omitted, since they can't be in use. */
export function createExpiringKeys(prisma: PrismaClient, clock: Clock): ExpiringKeys {
  return async (workspaceId) => {
    const now = clock.now();
    const keys = await prisma.apiKey.findMany({
      where: {
        workspaceId,
        isActive: true,
        expiresAt: { gt: now, lte: new Date(now.getTime() + SOON_MS) },
      },
      orderBy: { expiresAt: 'asc' },
      take: MAX_SHOWN,
    });
    return keys.flatMap(({ id, name, expiresAt }) =>
      expiresAt ? [{ type: 'api_key_expiring', at: toIsoMillis(expiresAt), key_id: id, name } as const] : [],
    );
  };
}
