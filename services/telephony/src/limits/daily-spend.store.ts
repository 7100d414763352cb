import type { DailySpend } from './spend.ts';

const SPENT = `
  SELECT workspace_id::text AS id, cents::float8 AS cents FROM daily_spend
  WHERE workspace_id = ANY ($1::uuid[]) AND day = ($2::timestamptz AT TIME ZONE 'UTC')::date`;

export const dailySpend: DailySpend = {
  spentOn: async (tx, workspaceIds, at) => {
    if (workspaceIds.length === 0) return new Map();
    const rows = await tx.$queryRawUnsafe<{ id: string; cents: number }[]>(
      SPENT,
      [...workspaceIds],
      at.toISOString(),
    );
    return new Map(rows.map(({ id, cents }) => [id, cents]));
  },
};
