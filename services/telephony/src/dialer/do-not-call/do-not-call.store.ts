import type { Sql } from '@parley/kit/db';
import type { DoNotCallList, UnwantedNumber } from './ports.ts';

const HOLDS = 'SELECT 1 FROM do_not_call WHERE workspace_id = $1::uuid AND phone_number = $2';

/** In the order of the numbers: two that add the same ones at the same moment wait for each other, and never in a ring. */
const ADD = `
  INSERT INTO do_not_call (workspace_id, phone_number, created_at)
  SELECT $1::uuid, number, $3::timestamptz FROM unnest($2::text[]) AS given (number) GROUP BY number ORDER BY number
  ON CONFLICT DO NOTHING`;

const REMOVE = 'DELETE FROM do_not_call WHERE workspace_id = $1::uuid AND phone_number = $2';

const PAGE = `
  SELECT t.total, d.phone_number AS "phoneNumber", d.created_at AS "createdAt"
  FROM (SELECT count(*)::int AS total FROM do_not_call WHERE workspace_id = $1::uuid) t
  LEFT JOIN (
    SELECT phone_number, created_at FROM do_not_call WHERE workspace_id = $1::uuid
    ORDER BY created_at DESC, phone_number LIMIT $2 OFFSET $3
  ) d ON true
  ORDER BY d.created_at DESC, d.phone_number`;

export function createDoNotCallList(sql: Sql): DoNotCallList {
  return {
    holds: async (workspaceId, phoneNumber) => {
      const rows = await sql.$queryRawUnsafe<unknown[]>(HOLDS, workspaceId, phoneNumber);
      return rows.length > 0;
    },
    add: (tx, workspaceId, phoneNumbers, now) =>
      tx.$executeRawUnsafe(ADD, workspaceId, [...phoneNumbers], now.toISOString()),
    remove: async (tx, workspaceId, phoneNumber) =>
      (await tx.$executeRawUnsafe(REMOVE, workspaceId, phoneNumber)) > 0,
    page: async (workspaceId, { limit, offset }) => {
      const rows = await sql.$queryRawUnsafe<(UnwantedNumber & { total: number })[]>(
        PAGE,
        workspaceId,
        limit,
        offset,
      );
      const items = rows.filter(({ phoneNumber }) => phoneNumber !== null);
      return { items: items.map(({ total, ...item }) => item), total: rows[0]?.total ?? 0 };
    },
  };
}
