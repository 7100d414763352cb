import { queryRow, raw, type Statement, sql } from '@parley/kit/db';
import {
  awaitOutbox,
  type DeleteOptions,
  deleteRows,
  eraseRefused,
  eraseStoredAnswers,
  mentionOf,
  type PageStep,
  type RemovalStep,
  replaceMentions,
  walkTable,
} from '@parley/kit/removal';
import { z } from 'zod';

const countRow = z.object({ count: z.number() });

const OF_BASE = `EXISTS (SELECT FROM knowledge_bases b WHERE b.id = t.knowledge_base_id AND b.workspace_id = $1::uuid)`;
/** Also removes the number from the terms that a passage is found by. */
const erasePassages: PageStep = async (tx, { workspaceId, phoneNumber }, pages) => {
  if (phoneNumber === null) return { removed: {} };
  const { like, pattern, mask } = mentionOf(phoneNumber);
  const count = await tx.$executeRaw(sql`
    UPDATE ${raw(pages.part)} t SET text = regexp_replace(t.text, ${pattern}, ${mask}, 'g'),
      terms = ts_delete(t.terms, ARRAY (SELECT w.lexeme FROM unnest(t.terms) w WHERE w.lexeme ~ ${pattern}))
    WHERE t.ctid >= ${pages.from}::tid AND t.ctid < ${pages.to}::tid
      -- Postgres orders conditions by their estimated costs: it would read the texts of all workspaces.
      AND CASE WHEN EXISTS (
        SELECT FROM knowledge_documents d JOIN knowledge_bases b ON b.id = d.knowledge_base_id
        WHERE d.id = t.document_id AND b.workspace_id = ${workspaceId}::uuid)
      THEN (t.text LIKE ${like} OR t.terms::text LIKE ${like})
        AND (t.text ~ ${pattern} OR EXISTS (SELECT FROM unnest(t.terms) w WHERE w.lexeme ~ ${pattern})) ELSE false END`);
  return { removed: { knowledge_passages: count } };
};

const CONFIGURED = 'Part of the configuration: change it yourself if it should be removed';

/** Replacing digits in a prompt or in a transfer's destination would silently break calls. */
const reportSettings: RemovalStep = async (tx, { workspaceId, phoneNumber }) => {
  if (phoneNumber === null) return { next: null };
  const { pattern } = mentionOf(phoneNumber);
  const assistants = sql`
    SELECT count(*)::int AS count FROM assistants
    WHERE workspace_id = ${workspaceId}::uuid AND (config::text ~ ${pattern} OR agent_name ~ ${pattern})`;
  const tools = sql`
    SELECT count(*)::int AS count FROM tools
    WHERE workspace_id = ${workspaceId}::uuid AND concat_ws(' ', tool_name, description, endpoint_url, parameters::text,
      sms_static_message, telco_from_number, transfer_call_destination) ~ ${pattern}`;
  const count = async (statement: Statement): Promise<number> =>
    (await queryRow(tx, countRow, statement))?.count ?? 0;
  return {
    kept: [
      { place: 'assistants', count: await count(assistants), reason: CONFIGURED },
      { place: 'tools', count: await count(tools), reason: CONFIGURED },
    ],
    next: null,
  };
};

export const ERASURE_STEPS: readonly RemovalStep[] = [
  walkTable('knowledge_passages', [erasePassages]),
  walkTable('knowledge_documents', [replaceMentions({ columns: { title: 'text' }, ofWorkspace: OF_BASE })]),
  walkTable('knowledge_bases', [replaceMentions({ columns: { name: 'text' } })]),
  ...eraseStoredAnswers,
  reportSettings,
  eraseRefused,
  awaitOutbox,
];

/** Tools and links are deleted with their assistant, passages with their document. */
const OWNED: readonly DeleteOptions[] = [
  { table: 'assistants' },
  { table: 'knowledge_documents', ofWorkspace: OF_BASE },
  { table: 'knowledge_bases' },
  { table: 'number_links' },
  { table: 'idempotency_keys', place: 'stored_answers' },
];

export const WORKSPACE_STEPS: readonly RemovalStep[] = [...OWNED.map(deleteRows), eraseRefused, awaitOutbox];
