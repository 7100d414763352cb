import { raw, sql } from '../db/index.ts';
import { nextPages } from './page-walk.ts';
import { inWorkspace, type RemovalStep } from './step.ts';

export type DeleteOptions = {
  table: string;
  place?: string;
  /** The condition of a row `t` of workspace `$1`; constant SQL. */
  ofWorkspace?: string;
};

/** Deletes the workspace's rows of a table page by page, without an index. */
export function deleteRows({
  table,
  place = table,
  ofWorkspace = 't.workspace_id = $1::uuid',
}: DeleteOptions): RemovalStep {
  return async (tx, { workspaceId, halvings }, cursor) => {
    const pages = await nextPages(tx, table, cursor, { halvings });
    if (!pages) return { next: null };
    const count = await tx.$executeRaw(sql`
      DELETE FROM ${raw(pages.table)} t
      WHERE t.ctid >= ${pages.from}::tid AND t.ctid < ${pages.to}::tid AND ${inWorkspace(ofWorkspace, workspaceId)}`);
    return { removed: { [place]: count }, next: pages.next };
  };
}
