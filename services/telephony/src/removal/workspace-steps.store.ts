import { queryRow, type Statement, sql } from '@parley/kit/db';
import {
  awaitOutbox,
  type DeleteOptions,
  deleteRows,
  eraseRefused,
  halved,
  type RemovalStep,
} from '@parley/kit/removal';
import { z } from 'zod';
import { deleteCalls, lockCalls } from './delete-calls.store.ts';
import type { EraseDeps } from './erase-calls.store.ts';
import { awaitSegments } from './segments-step.store.ts';
import { type StopDeps, stopSteps } from './stop-calls.store.ts';

/** Small, since the files of a batch are removed in its transaction. */
const BATCH = 50;

const countRow = z.object({ count: z.number() });

const OWNED: readonly DeleteOptions[] = [
  { table: 'dial_requests', place: 'dials' },
  { table: 'simulated_legs' },
  { table: 'simulated_alternations' },
  { table: 'simulated_number_routes' },
  { table: 'do_not_call' },
  { table: 'retention' },
  { table: 'daily_spend' },
  { table: 'uncounted_calls' },
  { table: 'uncounted_outcomes' },
  { table: 'call_rollups' },
  { table: 'call_outcomes' },
  { table: 'call_totals' },
  { table: 'outcome_totals' },
  {
    table: 'agent_snapshots',
    ofWorkspace: 'EXISTS (SELECT FROM agents a WHERE a.agent_id = t.agent_id AND a.workspace_id = $1::uuid)',
  },
  { table: 'agents' },
  { table: 'idempotency_keys', place: 'stored_answers' },
];

/** Removes everything of a workspace; live calls are hung up first. */
export function workspaceSteps(deps: StopDeps & EraseDeps): RemovalStep[] {
  const { clock, recordings } = deps;

  const removeCalls: RemovalStep = async (tx, { workspaceId, halvings }, cursor) => {
    const batch = halved(BATCH, halvings);
    const found = await lockCalls(
      tx,
      sql`SELECT c.id::text FROM calls c
        WHERE c.workspace_id = ${workspaceId}::uuid ORDER BY c.workspace_id, c.created_at, c.id LIMIT ${batch}`,
    );
    const idle = found.filter((call) => call.idle);
    const removed = await deleteCalls(tx, recordings, idle);
    const waiting = idle.length < found.length ? 'calls that are in progress or being recorded' : null;
    return { removed, waiting, next: idle.length > 0 && found.length === batch ? (cursor ?? 'more') : null };
  };

  const releaseNumbers: RemovalStep = async (tx, { workspaceId }) => {
    const row = await queryRow(tx, countRow, releaseStatement(workspaceId, clock.now()));
    return { removed: { phone_numbers: row?.count ?? 0 }, next: null };
  };

  return [
    ...stopSteps(deps),
    removeCalls,
    awaitSegments(deps),
    releaseNumbers,
    ...OWNED.map(deleteRows),
    eraseRefused,
    awaitOutbox,
  ];
}

/** Removes the numbers and their routes at once; a job removes their trunks at the carrier. */
const releaseStatement = (workspaceId: string, now: Date): Statement => sql`
  WITH routes AS (
    DELETE FROM simulated_routes r USING phone_numbers n
    WHERE r.phone_number = n.phone_number AND n.workspace_id = ${workspaceId}::uuid AND NOT EXISTS (
      SELECT FROM phone_numbers o WHERE o.phone_number = r.phone_number AND o.workspace_id <> ${workspaceId}::uuid)
  ), removed AS (
    DELETE FROM phone_numbers WHERE workspace_id = ${workspaceId}::uuid RETURNING id, phone_number, provider
  ), trunks AS (
    INSERT INTO trunk_removals (phone_number_id, phone_number, due_at)
    SELECT id, phone_number, ${now}::timestamptz FROM removed WHERE provider = 'hosted_sip' ON CONFLICT DO NOTHING
  )
  SELECT count(*)::int AS count FROM removed`;
