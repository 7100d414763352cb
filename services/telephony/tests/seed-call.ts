import { randomUUID } from 'node:crypto';
import { join, raw } from '@parley/kit/db';
import type { SqlClient } from '@parley/testkit';
import { anyNumber } from './harness.ts';

export type SeededCall = Record<string, unknown> & { id: string; created_at: Date };

/** Stores a completed outbound call of the workspace; `fields` are columns of `calls`. */
export async function seedCall(
  sql: SqlClient,
  workspaceId: string,
  fields: Record<string, unknown> = {},
): Promise<SeededCall> {
  const created_at = (fields.created_at as Date | undefined) ?? new Date();
  const row = {
    id: randomUUID(),
    workspace_id: workspaceId,
    agent_id: randomUUID(),
    call_type: 'outbound',
    from_number: anyNumber(),
    to_number: anyNumber(),
    status: 'completed',
    phase: 'ended',
    rate_cents: 10,
    started_at: created_at,
    answered_at: created_at,
    ended_at: created_at,
    duration: 60,
    cost: 10,
    disconnection_reason: 'user_hangup',
    created_at,
    updated_at: created_at,
    ...fields,
  };
  const columns = raw(Object.keys(row).join(', '));
  const values = Object.values(row).map((value) => (isPlainObject(value) ? JSON.stringify(value) : value));
  await sql.$executeRaw`INSERT INTO calls (${columns}) VALUES (${join(values)})`;
  return row;
}

/** Columns of a call that is not over. */
export const LIVE = {
  status: 'in-progress',
  phase: 'up',
  ended_at: null,
  duration: null,
  cost: null,
  disconnection_reason: null,
};

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof Date) && !Array.isArray(value);
}
