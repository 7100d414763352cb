import { createBatcher, retry } from '@parley/kit/concurrency';
import { queryRows, type SqlClient, type Statement, sql } from '@parley/kit/db';
import { isConnectivityError } from '@parley/kit/errors';
import type { Log } from '@parley/kit/log';
import { z } from 'zod';
import type { Call } from './call.ts';
import type { Entry, SpokenTurn, TurnWriter } from './ports.ts';
import { storableText } from './storable.ts';
import { toStoredLatency } from './turn-latency.ts';
import type { WithoutErased } from './without-erased.ts';

type Place = { call: Call; seq: number };
type Pending = Place & { entry: Entry };
type Correction = Place & { turn: SpokenTurn };

const idRow = z.object({ id: z.string() });

/** Attempts for an entry that the database rejects. */
const ATTEMPTS = 3;

/**
 * Writes the turns of all calls that the worker holds, simultaneous ones together. An entry that already exists, because its
 * acknowledgement was lost, counts as written.
 */
export function createTurnWriter(deps: {
  sql: SqlClient;
  log: Log;
  workerId: string;
  withoutErased: WithoutErased;
}): TurnWriter {
  const { sql: client, log, workerId, withoutErased } = deps;
  // By call and fence: a call that was lost may come back with a higher fence.
  /** The last write, until it is done. */
  const writing = new Map<string, Promise<void>>();
  const lost = new Set<string>();

  /** Applies `changes` to the given rows whose call this worker still holds (`owned`). Returns for each row whether it does. */
  const changeOwned = async (
    given: readonly { call_id: string }[],
    columns: Statement,
    changes: Statement,
  ): Promise<boolean[]> => {
    const rows = await queryRows(
      client,
      idRow,
      sql`
  WITH owned AS (
    SELECT given.* FROM json_to_recordset(${JSON.stringify(given)}::json) AS given (call_id uuid, fence int, seq int, content text, ${columns})
    JOIN calls c ON c.id = given.call_id AND c.worker_id = ${workerId}::uuid AND c.fence = given.fence AND c.status <> 'completed'
  ), ${changes}
  SELECT DISTINCT call_id::text AS id FROM owned`,
    );
    const owned = new Set(rows.map(({ id }) => id));
    return given.map(({ call_id }) => owned.has(call_id));
  };

  const rowsOf = <Item extends Place>(batch: readonly Item[], toColumns: (item: Item) => object) =>
    Promise.all(
      batch.map(async (item) => {
        const { call, seq } = item;
        return { call_id: call.id, fence: call.fence, seq, ...(await withoutErased(call, toColumns(item))) };
      }),
    );

  // Tools' JSON is passed as text: only the type json preserves what clients may send.
  const write = createBatcher(async (batch: Pending[]) =>
    changeOwned(
      await rowsOf(batch, toColumns),
      sql`role text, tool_name text, query text, status_code int, result text, error text, documents text, at timestamptz,
      tool_type text, description text, args text, slow boolean, tool_call_id uuid`,
      sql`turned AS (
    INSERT INTO turns (call_id, seq, role, content, tool_name, query, status_code, result, error, documents, at)
    SELECT call_id, seq, role, content, tool_name, query, status_code, result::json, error, documents::json, at
    FROM owned
    ON CONFLICT (call_id, seq) DO NOTHING
  ), logged AS (
    INSERT INTO tool_executions (id, call_id, seq, tool_name, tool_type, description, args, error, slow,
      executed_at)
    SELECT coalesce(tool_call_id, gen_random_uuid()), call_id, seq, tool_name, tool_type, description, args::json, error, slow,
      at FROM owned
    WHERE tool_type IS NOT NULL ON CONFLICT DO NOTHING
  ), done AS (
    DELETE FROM tools_under_way u USING owned WHERE u.tool_call_id = owned.tool_call_id
  )`,
    ),
  );

  const change = createBatcher(async (batch: Correction[]) =>
    changeOwned(
      await rowsOf(batch, toCorrectedColumns),
      sql`latency text, interrupted boolean`,
      sql`changed AS (
    UPDATE turns t SET content = owned.content, latency = coalesce(owned.latency::json, t.latency),
      interrupted = coalesce(owned.interrupted, t.interrupted) FROM owned
    WHERE t.call_id = owned.call_id AND t.seq = owned.seq AND owned.content <> ''
  ), removed AS (
    DELETE FROM turns t USING owned WHERE t.call_id = owned.call_id AND t.seq = owned.seq AND owned.content = ''
  )`,
    ),
  );

  /** An outage of the database delays an entry; one that it refuses is dropped after a few attempts. */
  const writeWithRetries = async (of: Call, seq: number, attempt: () => Promise<boolean>): Promise<void> => {
    const isRetryable = (err: unknown, failures: number) => isConnectivityError(err) || failures < ATTEMPTS;
    try {
      if (!(await retry(attempt, { isRetryable }))) lost.add(keyOf(of));
    } catch (err) {
      log.error({ err, callId: of.id, seq }, 'a turn could not be written');
    }
  };

  const follow = (of: Call, done: Promise<unknown>): void => {
    const key = keyOf(of);
    const settled = Promise.all([writing.get(key), done]).then(() => {
      if (writing.get(key) === settled) writing.delete(key);
    });
    writing.set(key, settled);
  };

  return {
    append: (call, entry) => {
      follow(
        call,
        writeWithRetries(call, entry.seq, () => write({ call, seq: entry.seq, entry })),
      );
    },
    correct: (call, { seq, ...turn }) => {
      // After the turn itself, and corrections before this one.
      const before = Promise.resolve(writing.get(keyOf(call)));
      follow(
        call,
        before.then(() => writeWithRetries(call, seq, () => change({ call, seq, turn }))),
      );
    },
    drained: async (call) => {
      const key = keyOf(call);
      await writing.get(key);
      return !lost.has(key);
    },
    forget: (call) => {
      const key = keyOf(call);
      // A pending write may still mark the call as lost.
      void Promise.resolve(writing.get(key)).then(() => lost.delete(key));
    },
  };
}

const keyOf = ({ id, fence }: Call): string => `${id}:${fence}`;

function toCorrectedColumns({ turn: { content, latency, isInterrupted } }: Correction) {
  return {
    content: storableText(content),
    latency: latency ? JSON.stringify(toStoredLatency(latency)) : null,
    interrupted: isInterrupted ?? null,
  };
}

function toColumns({ entry }: Pending) {
  const { role, at } = entry;
  const head = { role, at: at.toISOString() };
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
