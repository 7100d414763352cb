import type { RetentionDays } from '@parley/contracts';
import type { PrismaClient } from '../prisma.ts';

export type WorkspaceRetention = { workspaceId: string; days: RetentionDays; changedAt: Date | null };

const PAGE = 100;
const SETTINGS = [
  'retainCallsDays',
  'retainRecordingsDays',
  'retainAttemptsDays',
  'retainContactsDays',
] as const;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

export type RetentionStore = ReturnType<typeof createRetentionStore>;

export function createRetentionStore(prisma: PrismaClient) {
  return {
    /** Workspaces with a retention setting, by id, or only those whose change the services have not applied yet. */
    list: async (after: string | null, onlyChanged: boolean): Promise<WorkspaceRetention[]> => {
      const isSet = { not: null };
      const changed = { retentionChangedAt: isSet };
      const rows = await prisma.workspace.findMany({
        where: {
          id: { gt: after ?? BEFORE_ALL },
          deletedAt: null,
          OR: onlyChanged ? [changed] : [...SETTINGS.map((name) => ({ [name]: isSet })), changed],
        },
        orderBy: { id: 'asc' },
        take: PAGE,
      });
      return rows.map((row) => ({
        workspaceId: row.id,
        days: {
          calls: row.retainCallsDays,
          recordings: row.retainRecordingsDays,
          attempts: row.retainAttemptsDays,
          contacts: row.retainContactsDays,
        },
        changedAt: row.retentionChangedAt,
      }));
    },
    /** All services have applied the setting, unless it was changed meanwhile. */
    markApplied: async ({ workspaceId, changedAt }: WorkspaceRetention): Promise<void> => {
      if (changedAt === null) return;
      const where = { id: workspaceId, retentionChangedAt: changedAt };
      await prisma.workspace.updateMany({ where, data: { retentionChangedAt: null } });
    },
  };
}
