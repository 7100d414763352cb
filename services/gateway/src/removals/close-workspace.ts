import { queryRow, queryRows, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { Tx } from '../prisma.ts';

const nameRow = z.object({ name: z.string() });
const idRow = z.object({ id: z.string() });

/**
 * From the commit on the workspace has no valid key and no members [trust.25]. People without another membership are
 * deleted with their sessions; the others select another workspace. Returns the name; undefined if there is no such
 * workspace or it is already closed.
 */
export async function closeWorkspace(tx: Tx, id: string, now: Date): Promise<string | undefined> {
  const workspace = await queryRow(
    tx,
    nameRow,
    sql`UPDATE workspaces SET deleted_at = ${now} WHERE id = ${id}::uuid AND deleted_at IS NULL RETURNING name`,
  );
  if (!workspace) return undefined;
  await tx.apiKey.updateMany({
    where: { workspaceId: id, isActive: true },
    data: { isActive: false, revokedAt: now },
  });
  await tx.session.updateMany({ where: { workspaceId: id }, data: { workspaceId: null } });
  const people = await queryRows(
    tx,
    idRow,
    sql`
      WITH removed AS (DELETE FROM members WHERE workspace_id = ${id}::uuid RETURNING person_id)
      SELECT DISTINCT person_id::text AS id FROM removed WHERE person_id IS NOT NULL`,
  );
  await tx.person.deleteMany({
    where: {
      OR: [{ id: { in: people.map((person) => person.id) } }, { homeWorkspaceId: id }],
      members: { none: {} },
    },
  });
  return workspace.name;
}
