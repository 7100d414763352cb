/** Of several numbers that name the assistant, the one that was connected first: ids are in the order of time. */
const firstNumber = (agent: string): string => `
  SELECT l.phone_number FROM number_links l
  WHERE l.${agent} = a.id AND l.workspace_id = a.workspace_id ORDER BY l.phone_number_id LIMIT 1`;

/** As `search_name` is made of the name, word for word. In a query of its own: once, not for each row. */
const SOUGHT = `(SELECT translate(lower(normalize($2::text) COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C")`;

/** Bounds of an array are integers: no workspace has two thousand million assistants. */
const OFFSET = 'least($4::bigint, 2000000000)::int';

/**
 * A page of the list: workspace, search or null, limit, offset. An empty page is one row that only tells the total.
 * strpos, not LIKE: what is searched for is plain text. One statement, so that items and total tell of one moment, and one
 * walk along `assistants_list_idx`, which holds all that it needs; documents are read for the items of the page alone.
 * array_agg keeps the order of its input.
 */
export const ASSISTANT_PAGE = `
  WITH matches AS (
    SELECT id FROM assistants
    WHERE workspace_id = $1::uuid AND ($2::text IS NULL OR strpos(search_name, ${SOUGHT}) > 0)
    ORDER BY updated_at DESC, id DESC
  ), found AS (
    SELECT count(*)::int AS total, (array_agg(id))[${OFFSET} + 1 : ${OFFSET} + $3::int] AS ids FROM matches
  )
  SELECT f.total, a.id, a.agent_name, a.updated_at, a.config ->> 'systemPrompt' AS system_prompt,
    (a.config -> 'voice')::text AS voice, i.phone_number AS inbound_phone_number,
    o.phone_number AS outbound_phone_number
  FROM found f
  LEFT JOIN assistants a ON a.workspace_id = $1::uuid AND a.id = ANY (f.ids)
  LEFT JOIN LATERAL (${firstNumber('inbound_agent_id')}) i ON true
  LEFT JOIN LATERAL (${firstNumber('outbound_agent_id')}) o ON true
  ORDER BY a.updated_at DESC, a.id DESC`;
