import { sql } from '@parley/kit/db';
import {
  deleteRows,
  eraseNamedKeys,
  madeFrom,
  type RemovalStep,
  replaceMentions,
  walkTable,
} from '@parley/kit/removal';

/** The audit log's trigger rejects changes without one of these settings. */
const allowed = (name: 'audit_erasure' | 'audit_retention', step: RemovalStep): RemovalStep =>
  madeFrom({ name, step }, async (tx, target, cursor, pace) => {
    await tx.$executeRaw(sql`SELECT set_config(${`parley.${name}`}, 'on', true)`);
    return step(tx, target, cursor, pace);
  });

export const ERASURE_STEPS: readonly RemovalStep[] = [
  allowed(
    'audit_erasure',
    walkTable('audit_log', [
      replaceMentions({
        columns: {
          target_id: 'text',
          target_name: 'text',
          changes: 'jsonb',
          actor_name: 'text',
          request_id: 'text',
        },
      }),
    ]),
  ),
  walkTable('api_keys', [replaceMentions({ place: 'keys', columns: { name: 'text' } })]),
  // Stored answers are sealed here and contain no number; their keys may.
  eraseNamedKeys,
];

/** The job deletes the row of the workspace when it completes. */
export const WORKSPACE_STEPS: readonly RemovalStep[] = [
  deleteRows({ table: 'api_keys', place: 'keys' }),
  deleteRows({ table: 'idempotency_keys', place: 'stored_answers' }),
  deleteRows({
    table: 'removal_jobs',
    place: 'erasures',
    ofWorkspace: "t.workspace_id = $1::uuid AND t.kind = 'erasure'",
  }),
  allowed('audit_retention', deleteRows({ table: 'audit_log' })),
];
