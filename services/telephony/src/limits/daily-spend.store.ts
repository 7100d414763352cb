import { queryRows, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { DailySpend } from './spend.ts';

const spentRow = z.object({ id: z.string(), cents: z.number() });

export const dailySpend: DailySpend = {
  spentOn: async (tx, workspaceIds, at) => {
    if (workspaceIds.length === 0) return new Map();
    const rows = await queryRows(
      tx,
      spentRow,
      sql`SELECT workspace_id::text AS id, cents::float8 AS cents FROM daily_spend
      WHERE workspace_id = ANY (${[...workspaceIds]}::uuid[])
        AND day = (${at.toISOString()}::timestamptz AT TIME ZONE 'UTC')::date`,
    );
    return new Map(rows.map(({ id, cents }) => [id, cents]));
  },
};
