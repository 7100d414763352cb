import { gather, type Sql } from '@parley/kit/db';
import { isConnectivityError } from '@parley/kit/errors';
import { backOffMs } from '@parley/kit/jobs';
import type { Log } from '@parley/kit/log';
import { realSleep } from '@parley/kit/time';
import type { Entry, TurnWriter } from '../domain/calls/ports.ts';
import { storableText } from './storable.ts';

type Pending = { callId: string; fence: number; entry: Entry };

/**
 * Only what still belongs to this worker is written; an entry that is there already (its acknowledgement was lost)
 * counts as written. Returns the calls that are this worker's. Tools' JSON travels as text: clients may put into it what
 * only the type json keeps as it is.
 */
const WRITE = `
  WITH owned AS (
    SELECT given.* FROM json_to_recordset($2::json) AS given (call_id uuid, fence int, seq int, role text, content text,
      tool_name text, query text, status_code int, result text, error text, documents text, at timestamptz,
      tool_type text, description text, args text, slow boolean, tool_call_id uuid)
    JOIN calls c ON c.id = given.call_id AND c.worker_id = $1::uuid AND c.fence = given.fence AND c.status <> 'completed'
  ), turned AS (
    INSERT INTO turns (call_id, seq, role, content, tool_name, query, status_code, result, error, documents, at)
    SELECT call_id, seq, role, content, tool_name, query, status_code, result::json, error, documents::json, at
    FROM owned
    ON CONFLICT (call_id, seq) DO NOTHING
  ), logged AS (
    INSERT INTO tool_executions (id, call_id, seq, tool_name, tool_type, description, args, result, error, slow,
      executed_at)
    SELECT coalesce(tool_call_id, gen_random_uuid()), call_id, seq, tool_name, tool_type, description, args::json, result::json, error, slow,
      at FROM owned
    WHERE tool_type IS NOT NULL ON CONFLICT DO NOTHING
  ), done AS (
    DELETE FROM tools_under_way u USING owned WHERE u.tool_call_id = owned.tool_call_id
  )
  SELECT DISTINCT call_id::text AS id FROM owned`;

/** How often an entry that the database refuses is tried. */
const TRIES = 3;

/** Writes the turns of all calls of a worker, those of one breath together, over outages until they are written. */
export function createTurnWriter(deps: { sql: Sql; log: Log; workerId: string }): TurnWriter {
  const { sql, log, workerId } = deps;
  // By call and fence: a call that was lost may come back with a higher fence.
  /** The last write of each call, until it is done. */
  const writing = new Map<string, Promise<void>>();
  const lost = new Set<string>();

  const put = gather(async (batch: Pending[]) => {
    const json = JSON.stringify(batch.map(toRow));
    const rows = await sql.$queryRawUnsafe<{ id: string }[]>(WRITE, workerId, json);
    const owned = new Set(rows.map(({ id }) => id));
    return batch.map(({ callId }) => owned.has(callId));
  });

  const insist = async (pending: Pending): Promise<void> => {
    for (let failures = 1; ; failures += 1) {
      try {
        if (!(await put(pending))) lost.add(keyOf(pending));
        return;
      } catch (err) {
        if (!isConnectivityError(err) && failures >= TRIES) {
          log.error({ err, callId: pending.callId, seq: pending.entry.seq }, 'a turn could not be written');
          return;
        }
        await realSleep(backOffMs(failures));
      }
    }
  };

  return {
    append: ({ id: callId, fence }, entry) => {
      const pending = { callId, fence, entry };
      const key = keyOf(pending);
      const before = writing.get(key);
      const write = Promise.all([before, insist(pending)]).then(() => {
        if (writing.get(key) === write) writing.delete(key);
      });
      writing.set(key, write);
    },
    drained: async ({ id: callId, fence }) => {
      const key = keyOf({ callId, fence });
      await writing.get(key);
      return !lost.has(key);
    },
    forget: ({ id: callId, fence }) => {
      const key = keyOf({ callId, fence });
      // What is still being written may find out that the call is lost, when nobody asks any more.
      void Promise.resolve(writing.get(key)).then(() => lost.delete(key));
    },
  };
}

const keyOf = ({ callId, fence }: Pick<Pending, 'callId' | 'fence'>): string => `${callId}:${fence}`;

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
    documents: outcome.documents && JSON.stringify(outcome.documents),
    tool_type: toolType,
    description,
    args: JSON.stringify(args),
    slow: outcome.slow,
    tool_call_id: entry.toolCallId ?? null,
  };
}
