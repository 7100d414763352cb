import { type Sql, transaction } from '@parley/kit/db';
import { type Assistant, toolIdsOf } from '../domain/assistants/assistant.ts';
import type { AssistantBrief, AssistantStore } from '../domain/assistants/ports.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { likeable, PAGE_OF_ALL, PAGE_OF_SEARCH } from './assistant-page.ts';
import {
  ASSISTANT_COLUMNS,
  type AssistantRow,
  type SummaryRow,
  toAssistant,
  toSummary,
} from './assistant-rows.ts';
import { withKnowledgeLinks } from './knowledge-links.ts';
import { findListed } from './tools.ts';

const OURS = 'a.workspace_id = $1::uuid AND a.id = $2::uuid';
const FIND = `SELECT ${ASSISTANT_COLUMNS} FROM assistants a WHERE ${OURS}`;
const LOCK = `${FIND} FOR UPDATE`;
const VERSION = `SELECT a.version FROM assistants a WHERE ${OURS}`;
const BRIEFS = `
  SELECT a.id AS agent_id, a.agent_name, a.version, a.config #>> '{settings,webhookUrl}' AS webhook_url
  FROM assistants a WHERE a.workspace_id = $1::uuid AND a.id = ANY ($2::uuid[])`;

const USERS_OF = `
  SELECT ${ASSISTANT_COLUMNS} FROM knowledge_links l JOIN assistants a ON a.id = l.assistant_id
  WHERE a.workspace_id = $1::uuid AND l.knowledge_base_id = $2::uuid AND ($3::uuid IS NULL OR l.assistant_id > $3::uuid)
  ORDER BY l.assistant_id LIMIT $4::int FOR UPDATE OF a`;

const INSERT = withKnowledgeLinks(`
  INSERT INTO assistants AS a (workspace_id, id, agent_name, agent_type, config, version, updated_at, created_at)
  VALUES ($1::uuid, $2::uuid, $3, $4, $5::json, $6, $7::timestamptz, $8::timestamptz)`);
// A column of values each, as `valuesOf` gives them.
const SAVE = withKnowledgeLinks(`
  UPDATE assistants a SET agent_name = c.agent_name, agent_type = c.agent_type, config = c.config::json,
    version = c.version, updated_at = c.updated_at::timestamptz
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::text[])
    AS c (workspace_id, id, agent_name, agent_type, config, version, updated_at)
  WHERE a.workspace_id = c.workspace_id::uuid AND a.id = c.id::uuid`);
const REMOVE = 'DELETE FROM assistants WHERE workspace_id = $1::uuid AND id = $2::uuid';

export function createAssistantStore(prisma: PrismaClient): AssistantStore {
  const findVersion: AssistantStore['findVersion'] = async (workspaceId, id) => {
    const [row] = await prisma.$queryRawUnsafe<{ version: number }[]>(VERSION, workspaceId, id);
    return row?.version;
  };

  return {
    find: (workspaceId, id) => first(prisma, FIND, workspaceId, id),
    exists: async (workspaceId, id) => (await findVersion(workspaceId, id)) !== undefined,
    findVersion,
    findBriefs: (workspaceId, ids) => prisma.$queryRawUnsafe<AssistantBrief[]>(BRIEFS, workspaceId, [...ids]),
    findWithTools: (workspaceId, id) =>
      transaction(
        prisma,
        async (tx) => {
          const assistant = await first(tx, FIND, workspaceId, id);
          if (!assistant) return undefined;
          const ids = toolIdsOf(assistant.config);
          return { assistant, tools: await findListed(tx, { workspaceId, agentId: id, ids }) };
        },
        // One snapshot for both questions.
        { isolationLevel: 'RepeatableRead' },
      ),
    page: async (workspaceId, { search, limit, offset }) => {
      const values = [workspaceId, limit, offset];
      const rows = await (search === undefined
        ? prisma.$queryRawUnsafe<SummaryRow[]>(PAGE_OF_ALL, ...values)
        : prisma.$queryRawUnsafe<SummaryRow[]>(PAGE_OF_SEARCH, ...values, likeable(search)));
      const items = rows.flatMap((row) => (row.id === null ? [] : [toSummary({ ...row, id: row.id })]));
      return { items, total: rows[0]?.total ?? 0 };
    },
    lock: (tx, workspaceId, id) => first(tx, LOCK, workspaceId, id),
    lockUsersOf: async (tx, workspaceId, knowledgeBaseId, { after, limit }) => {
      const values = [workspaceId, knowledgeBaseId, after ?? null, limit];
      const rows = await tx.$queryRawUnsafe<AssistantRow[]>(USERS_OF, ...values);
      return rows.map(toAssistant);
    },
    insert: async (tx, assistant) => {
      await tx.$executeRawUnsafe(INSERT, ...valuesOf(assistant), assistant.createdAt.toISOString());
    },
    save: async (tx, assistants) => {
      if (assistants.length === 0) return;
      const rows = assistants.map(valuesOf);
      const columns = (rows[0] ?? []).map((_, i) => rows.map((row) => row[i]));
      await tx.$executeRawUnsafe(SAVE, ...columns);
    },
    remove: async (tx, workspaceId, id) => {
      await tx.$executeRawUnsafe(REMOVE, workspaceId, id);
    },
  };
}

async function first(sql: Sql, query: string, ...values: string[]): Promise<Assistant | undefined> {
  const [row] = await sql.$queryRawUnsafe<AssistantRow[]>(query, ...values);
  return row && toAssistant(row);
}

function valuesOf(assistant: Assistant): unknown[] {
  const { workspaceId, id, agentName, agentType, config, version, updatedAt } = assistant;
  return [workspaceId, id, agentName, agentType, JSON.stringify(config), version, updatedAt.toISOString()];
}
