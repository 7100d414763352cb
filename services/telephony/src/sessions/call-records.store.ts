import { queryRows, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { Entry } from './ports.ts';
import { fromStoredLatency } from './turn-latency.ts';

const row = z.object({
  call_id: z.string(),
  seq: z.number(),
  role: z.enum(['user', 'agent', 'tool']),
  content: z.string().nullable(),
  tool_name: z.string().nullable(),
  status_code: z.number().nullable(),
  result: z.unknown(),
  error: z.string().nullable(),
  documents: z.array(z.unknown()).nullable(),
  latency: z.unknown(),
  interrupted: z.boolean().nullable(),
  at: z.date(),
  tool_type: z.string().nullable(),
  description: z.string().nullable(),
  args: z.unknown(),
  slow: z.boolean().nullable(),
  tool_call_id: z.string().nullable(),
});

/** The records of calls, in order; a call without turns is missing. */
export async function readRecords(
  client: SqlClient,
  callIds: readonly string[],
): Promise<Map<string, Entry[]>> {
  if (callIds.length === 0) return new Map();
  const rows = await queryRows(
    client,
    row,
    sql`SELECT t.call_id::text, t.seq, t.role, t.content, t.tool_name, t.status_code, t.result, t.error, t.documents, t.latency, t.interrupted, t.at,
      x.tool_type, x.description, x.args, x.slow, x.id::text AS tool_call_id
    FROM turns t LEFT JOIN tool_executions x ON x.call_id = t.call_id AND x.seq = t.seq
    WHERE t.call_id = ANY (${[...callIds]}::uuid[]) ORDER BY t.call_id, t.seq`,
  );
  const records = new Map<string, Entry[]>();
  for (const found of rows) {
    const record = records.get(found.call_id) ?? [];
    records.set(found.call_id, record);
    record.push(toEntry(found));
  }
  return records;
}

function toEntry(found: z.infer<typeof row>): Entry {
  const { seq, at } = found;
  if (found.role !== 'tool') {
    const latency = fromStoredLatency(found.latency);
    return {
      seq,
      at,
      role: found.role,
      content: found.content ?? '',
      ...(latency && { latency }),
      ...(found.interrupted !== null && { isInterrupted: found.interrupted }),
    };
  }
  const { status_code: statusCode, result, error, documents } = found;
  return {
    seq,
    at,
    role: 'tool',
    toolName: found.tool_name ?? '',
    toolType: found.tool_type ?? 'custom',
    description: found.description,
    args: found.args ?? {},
    ...(found.tool_call_id ? { toolCallId: found.tool_call_id } : {}),
    outcome: { statusCode, result: result ?? null, error, slow: found.slow ?? false, documents },
  };
}
