import type { Sql } from '@parley/kit/db';
import { isConnectivityError } from '@parley/kit/errors';
import { backOffMs } from '@parley/kit/jobs';
import type { Log } from '@parley/kit/log';
import { realSleep } from '@parley/kit/time';
import type { Entry, TurnWriter } from '../domain/calls/ports.ts';
import { storableText } from './storable.ts';

type Pending = { callId: string; fence: number; entry: Entry };

/** What one statement takes at most. */
const BATCH = 200;

/**
 * Only what still belongs to this worker is written; an entry that is there already (its acknowledgement was lost)
 * counts as written. Returns the calls that are this worker's. Tools' JSON travels as text: clients may put into it what
 * only the type json keeps as it is.
 */
const WRITE = `
  WITH owned AS (
    SELECT given.* FROM json_to_recordset($2::json) AS given (call_id uuid, fence int, seq int, role text, content text,
      tool_name text, query text, status_code int, result text, error text, at timestamptz, tool_type text,
      description text, args text, slow boolean)
    JOIN calls c ON c.id = given.call_id AND c.worker_id = $1::uuid AND c.fence = given.fence AND c.status <> 'completed'
  ), turned AS (
    INSERT INTO turns (call_id, seq, role, content, tool_name, query, status_code, result, error, at)
    SELECT call_id, seq, role, content, tool_name, query, status_code, result::json, error, at FROM owned
    ON CONFLICT (call_id, seq) DO NOTHING
  ), logged AS (
    INSERT INTO tool_executions (id, call_id, seq, tool_name, tool_type, description, args, result, error, slow,
      executed_at)
    SELECT gen_random_uuid(), call_id, seq, tool_name, tool_type, description, args::json, result::json, error, slow,
      at FROM owned
    WHERE tool_type IS NOT NULL ON CONFLICT (call_id, seq) DO NOTHING
  )
  SELECT DISTINCT call_id::text AS id FROM owned`;

/**
 * Writes the turns of all calls of a worker. While a statement is under way entries gather, and the next statement
 * takes all of them: many calls cost few statements, and a lone call waits for nobody.
 */
export function createTurnWriter({
  sql,
  log,
  workerId,
}: {
  sql: Sql;
  log: Log;
  workerId: string;
}): TurnWriter {
  let gathered: Pending[] = [];
  let writing = false;
  const counts = new Map<string, number>();
  const lost = new Set<string>();
  const waiting = new Map<string, (() => void)[]>();

  const write = async (batch: readonly Pending[]): Promise<void> => {
    const rows = await sql.$queryRawUnsafe<{ id: string }[]>(
      WRITE,
      workerId,
      JSON.stringify(batch.map(toRow)),
    );
    const owned = new Set(rows.map(({ id }) => id));
    for (const { callId } of batch) if (!owned.has(callId)) lost.add(callId);
  };

  /** Over outages until it is written; an entry that can't be written doesn't hold up the others. */
  const insist = async (batch: readonly Pending[]): Promise<void> => {
    for (let failures = 1; ; failures += 1) {
      try {
        await write(batch);
        return;
      } catch (err) {
        if (!isConnectivityError(err) && batch.length > 1) {
          for (const single of batch) await insist([single]);
          return;
        }
        if (!isConnectivityError(err) && failures >= 3) {
          log.error({ err, callId: batch[0]?.callId }, 'a turn could not be written');
          return;
        }
        await realSleep(backOffMs(failures));
      }
    }
  };

  const run = async (): Promise<void> => {
    while (gathered.length > 0) {
      const batch = gathered.slice(0, BATCH);
      gathered = gathered.slice(BATCH);
      await insist(batch);
      for (const { callId } of batch) settle(callId);
    }
    writing = false;
  };

  const settle = (callId: string): void => {
    const left = (counts.get(callId) ?? 1) - 1;
    counts.set(callId, left);
    if (left > 0) return;
    counts.delete(callId);
    for (const resolve of waiting.get(callId) ?? []) resolve();
    waiting.delete(callId);
  };

  return {
    append: ({ id: callId, fence }, entry) => {
      counts.set(callId, (counts.get(callId) ?? 0) + 1);
      gathered.push({ callId, fence, entry });
      // What is said in one breath is written together.
      if (writing) return;
      writing = true;
      void Promise.resolve().then(run);
    },
    drained: async (callId) => {
      if (counts.has(callId)) {
        await new Promise<void>((resolve) => {
          waiting.set(callId, [...(waiting.get(callId) ?? []), resolve]);
        });
      }
      return !lost.has(callId);
    },
    forget: (callId) => void lost.delete(callId),
  };
}

function toRow({ callId, fence, entry }: Pending) {
  const { seq, role, at } = entry;
  const head = { call_id: callId, fence, seq, role, at: at.toISOString() };
  if (entry.role !== 'tool') return { ...head, content: storableText(entry.content) };
  const { toolName, toolType, description, args, outcome } = entry;
  return {
    ...head,
    tool_name: toolName,
    query: storableText(JSON.stringify(args)),
    status_code: outcome.statusCode,
    result: JSON.stringify(outcome.result ?? null),
    error: outcome.error && storableText(outcome.error),
    tool_type: toolType,
    description,
    args: JSON.stringify(args),
    slow: outcome.slow,
  };
}
