import { raw, sql } from '../db/index.ts';
import { inWorkspace, madeFrom, type RemovalStep } from './step.ts';
import { type PageStep, walkTable } from './walk-table.ts';

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
  const ofPages: PageStep = async (tx, { workspaceId }, pages) => {
    const count = await tx.$executeRaw(sql`
      DELETE FROM ${raw(pages.part)} t
      WHERE t.ctid >= ${pages.from}::tid AND t.ctid < ${pages.to}::tid AND ${inWorkspace(ofWorkspace, workspaceId)}`);
    return { removed: { [place]: count } };
  };
  return walkTable(table, [madeFrom({ place, ofWorkspace }, ofPages)]);
}
