import type { Sql } from '@parley/kit/db';
import type { Entry } from '../domain/calls/ports.ts';

type Row = {
  call_id: string;
  seq: number;
  role: 'user' | 'agent' | 'tool';
  content: string | null;
  tool_name: string | null;
  status_code: number | null;
  result: unknown;
  error: string | null;
  documents: unknown[] | null;
  at: Date;
  tool_type: string | null;
  description: string | null;
  args: unknown;
  slow: boolean | null;
  tool_call_id: string | null;
};

const READ = `
  SELECT t.call_id::text, t.seq, t.role, t.content, t.tool_name, t.status_code, t.result, t.error, t.documents, t.at,
    x.tool_type, x.description, x.args, x.slow, x.id::text AS tool_call_id
  FROM turns t LEFT JOIN tool_executions x ON x.call_id = t.call_id AND x.seq = t.seq
  WHERE t.call_id = ANY ($1::uuid[]) ORDER BY t.call_id, t.seq`;

/** What was said and done on calls, in order; a call without turns is missing. */
export async function readRecords(sql: Sql, callIds: readonly string[]): Promise<Map<string, Entry[]>> {
  const records = new Map<string, Entry[]>();
  for (const row of await sql.$queryRawUnsafe<Row[]>(READ, [...callIds])) {
    const record = records.get(row.call_id) ?? [];
    records.set(row.call_id, record);
    record.push(toEntry(row));
  }
  return records;
}

function toEntry(row: Row): Entry {
  const { seq, at } = row;
  if (row.role !== 'tool') return { seq, at, role: row.role, content: row.content ?? '' };
  const { status_code: statusCode, result, error, documents } = row;
  return {
    seq,
    at,
    role: 'tool',
    toolName: row.tool_name ?? '',
    toolType: row.tool_type ?? 'custom',
    description: row.description,
    args: row.args ?? {},
    ...(row.tool_call_id ? { toolCallId: row.tool_call_id } : {}),
    outcome: { statusCode, result: result ?? null, error, slow: row.slow ?? false, documents },
  };
}
