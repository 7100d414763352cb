import { queryRows, type SqlClient, type Statement, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { LiveWorkspaces } from './end-suspended.ts';

const idRow = z.object({ id: z.string() });

export function createLiveWorkspaces(client: SqlClient): LiveWorkspaces {
  const ids = async (statement: Statement): Promise<string[]> =>
    (await queryRows(client, idRow, statement)).map(({ id }) => id);
  return {
    withCalls: () =>
      ids(sql`SELECT DISTINCT workspace_id::text AS id FROM calls WHERE status <> 'completed'`),
    callsOf: (workspaceId) =>
      ids(sql`SELECT id::text FROM calls
        WHERE workspace_id = ${workspaceId}::uuid AND status <> 'completed' AND stop_requested_at IS NULL`),
  };
}
