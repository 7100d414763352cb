import { type FoundRow, raw, STEP_BYTES, type Statement, sql, sumInOrder } from '@parley/kit/db';
import { z } from 'zod';
import { caseless } from '../caseless.ts';
import type { JsonObject } from '../json-object.ts';

/** A list item with the numbers that are assigned to the assistant. */
export type AssistantSummary = {
  id: string;
  agentName: string;
  updatedAt: Date;
  systemPrompt: string;
  voice: JsonObject;
  inboundPhoneNumber: string | null;
  outboundPhoneNumber: string | null;
};

export const summaryRow = z.object({
  id: z.string(),
  agent_name: z.string(),
  updated_at: z.date(),
  system_prompt: z.string(),
  voice: z.string(),
  inbound_phone_number: z.string().nullable(),
  outbound_phone_number: z.string().nullable(),
});

const notRead = z.object({
  total: z.number(),
  id: z.string().nullable(),
  bytes: z.number().nullable(),
  row_id: z.null(),
});

/** `id` is null in the only row of an empty page, which has the total; `row_id` is null if only the size was read. */
export const pageRow = z.union([
  notRead,
  summaryRow.extend({ total: z.number(), bytes: z.number(), row_id: z.string() }),
]);

export function toFound(row: z.output<typeof pageRow>): FoundRow<AssistantSummary>[] {
  if (row.row_id !== null) return [{ id: row.id, bytes: row.bytes, row: toSummary(row) }];
  return row.id === null ? [] : [{ id: row.id, bytes: row.bytes ?? 0, row: undefined }];
}

export function toSummary(row: z.output<typeof summaryRow>): AssistantSummary {
  return {
    id: row.id,
    agentName: row.agent_name,
    updatedAt: row.updated_at,
    systemPrompt: row.system_prompt,
    voice: JSON.parse(row.voice),
    inboundPhoneNumber: row.inbound_phone_number,
    outboundPhoneNumber: row.outbound_phone_number,
  };
}

/** If several numbers are assigned to the assistant, the one that was connected first: ids are ordered by time. */
const firstNumber = (agent: string): Statement => sql`
  SELECT l.phone_number FROM number_links l
  WHERE l.${raw(agent)} = a.id AND l.workspace_id = a.workspace_id ORDER BY l.phone_number_id LIMIT 1`;

const SUMMARY = sql`a.agent_name, a.updated_at, a.config ->> 'systemPrompt' AS system_prompt,
  (a.config -> 'voice')::text AS voice, i.phone_number AS inbound_phone_number, o.phone_number AS outbound_phone_number`;
const NUMBERS = sql`
  LEFT JOIN LATERAL (${firstNumber('inbound_agent_id')}) i ON true
  LEFT JOIN LATERAL (${firstNumber('outbound_agent_id')}) o ON true`;
const BYTES_SO_FAR = raw(sumInOrder('octet_length(a.config::text)', 'a.updated_at DESC, a.id DESC'));

/**
 * A page of the list, most recently updated first; an empty one is a single row with the total. One statement, so that items
 * and total are consistent. `found` gets the total and the ids from `assistants_list_idx` alone; documents are read only for
 * the items of the page, and beyond `STEP_BYTES` only their sizes (`row_id` is null).
 */
const page = (workspaceId: string, found: Statement): Statement => sql`
  WITH found AS (${found}),
  sized AS MATERIALIZED (
    SELECT f.total, a.id, a.updated_at, octet_length(a.config::text) AS bytes, ${BYTES_SO_FAR} AS bytes_so_far
    FROM found f LEFT JOIN assistants a ON a.workspace_id = ${workspaceId}::uuid AND a.id = ANY (f.ids)
  )
  SELECT s.total, s.id, s.bytes, a.id AS row_id, ${SUMMARY}
  FROM sized s
  LEFT JOIN assistants a ON a.workspace_id = ${workspaceId}::uuid AND a.id = s.id AND s.bytes_so_far <= ${raw(String(STEP_BYTES))}
  ${NUMBERS}
  ORDER BY s.updated_at DESC, s.id DESC`;

type Range = { limit: number; offset: number };

/** The items that a page left out. */
export const restOfPage = (workspaceId: string, ids: readonly string[]): Statement => sql`
  SELECT a.id, ${SUMMARY} FROM assistants a ${NUMBERS}
  WHERE a.workspace_id = ${workspaceId}::uuid AND a.id = ANY (${ids}::uuid[])`;

export const pageOfAll = (workspaceId: string, { limit, offset }: Range): Statement =>
  page(
    workspaceId,
    sql`
  SELECT (SELECT count(*)::int FROM assistants WHERE workspace_id = ${workspaceId}::uuid) AS total, ARRAY (
    SELECT id FROM assistants WHERE workspace_id = ${workspaceId}::uuid
    ORDER BY updated_at DESC, id DESC LIMIT ${limit}::int OFFSET ${offset}::bigint
  ) AS ids`,
  );

/** Array bounds are 32-bit integers. */
const MAX_OFFSET = 2_000_000_000;

/**
 * Assistants whose name contains `search`, and of those only `within` if it is given. One index walk for the total and the
 * ids: array_agg keeps the order of its input. The pattern is a subquery, so that it is computed once.
 */
export function pageOfSearch(
  workspaceId: string,
  { search, within, limit, offset }: Range & { search: string; within?: readonly string[] | undefined },
): Statement {
  const escaped = search.replace(/[\\%_]/g, '\\$&');
  const first = Math.min(offset, MAX_OFFSET);
  const only = within ? sql`AND id = ANY (${within}::uuid[])` : sql``;
  return page(
    workspaceId,
    sql`
  SELECT count(*)::int AS total, (array_agg(id))[${first}::int + 1 : ${first}::int + ${limit}::int] AS ids FROM (
    SELECT id FROM assistants
    WHERE workspace_id = ${workspaceId}::uuid AND search_name LIKE (SELECT '%' || ${caseless(sql`${escaped}`)} || '%') ${only}
    ORDER BY updated_at DESC, id DESC
  ) AS matches`,
  );
}
