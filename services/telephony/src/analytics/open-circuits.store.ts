import type { AttentionItem } from '@parley/contracts';
import { queryRows, type SqlClient, sql } from '@parley/kit/db';
import { toIsoMillis } from '@parley/kit/time';
import { z } from 'zod';

const MAX_SHOWN = 20;
const circuitRow = z.object({
  id: z.string(),
  phone_number: z.string(),
  nickname: z.string().nullable(),
  opened_at: z.date(),
  probe_at: z.date().nullable(),
});

/** For `GET /v1/attention`: the numbers whose circuit is open, the newest first [analytics.10]. */
export function createOpenCircuits(client: SqlClient) {
  return async (workspaceId: string): Promise<AttentionItem[]> => {
    const rows = await queryRows(
      client,
      circuitRow,
      sql`SELECT n.id::text, n.phone_number, n.nickname, c.opened_at, c.probe_at
        FROM phone_numbers n JOIN number_circuits c ON c.phone_number_id = n.id
        WHERE n.workspace_id = ${workspaceId}::uuid AND c.opened_at IS NOT NULL ORDER BY c.opened_at DESC LIMIT ${MAX_SHOWN}`,
    );
    return rows.map(({ id, opened_at, probe_at, ...number }) => ({
      type: 'number_circuit_open',
      at: toIsoMillis(opened_at),
      phone_number_id: id,
      ...number,
      next_probe_at: probe_at && toIsoMillis(probe_at),
    }));
  };
}
