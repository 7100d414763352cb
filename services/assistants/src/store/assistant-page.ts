import { caseless } from './caseless.ts';

/** Of several numbers that name the assistant, the one that was connected first: ids are in the order of time. */
const firstNumber = (agent: string): string => `
  SELECT l.phone_number FROM number_links l
  WHERE l.${agent} = a.id AND l.workspace_id = a.workspace_id ORDER BY l.phone_number_id LIMIT 1`;

/**
 * A page of the list, newest edit first; an empty one is a row that only tells the total. One statement, so that items and
 * total tell of one moment. `found` gives the total and the ids by `assistants_list_idx` alone; documents are read for the
 * items of the page.
 */
const page = (found: string): string => `
  WITH found AS (${found})
  SELECT f.total, a.id, a.agent_name, a.updated_at, a.config ->> 'systemPrompt' AS system_prompt,
    (a.config -> 'voice')::text AS voice, i.phone_number AS inbound_phone_number,
    o.phone_number AS outbound_phone_number
  FROM found f
  LEFT JOIN assistants a ON a.workspace_id = $1::uuid AND a.id = ANY (f.ids)
  LEFT JOIN LATERAL (${firstNumber('inbound_agent_id')}) i ON true
  LEFT JOIN LATERAL (${firstNumber('outbound_agent_id')}) o ON true
  ORDER BY a.updated_at DESC, a.id DESC`;

/** Values: workspace, limit, offset. */
export const PAGE_OF_ALL = page(`
  SELECT (SELECT count(*)::int FROM assistants WHERE workspace_id = $1::uuid) AS total, ARRAY (
    SELECT id FROM assistants WHERE workspace_id = $1::uuid
    ORDER BY updated_at DESC, id DESC LIMIT $2::int OFFSET $3::bigint
  ) AS ids`);

/** As `search_name` is made of the name. In a query of its own: once, not for each row. */
const SOUGHT = `(SELECT '%' || ${caseless('$4')} || '%')`;

/** Bounds of an array are integers: no workspace has two thousand million assistants. */
const OFFSET = 'least($3::bigint, 2000000000)::int';

/** Values: workspace, limit, offset, `likeable` search. One walk for the total and the ids: array_agg keeps the order of its input. */
export const PAGE_OF_SEARCH = page(`
  SELECT count(*)::int AS total, (array_agg(id))[${OFFSET} + 1 : ${OFFSET} + $2::int] AS ids FROM (
    SELECT id FROM assistants WHERE workspace_id = $1::uuid AND search_name LIKE ${SOUGHT}
    ORDER BY updated_at DESC, id DESC
  ) AS matches`);

/** What is searched for is plain text, and to LIKE three characters are not. */
export const likeable = (search: string): string => search.replace(/[\\%_]/g, '\\$&');
