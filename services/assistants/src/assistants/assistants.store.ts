import { assistantUpdated } from '@parley/contracts';
import { queryRows, readInSteps, type Statement, sql, transaction } from '@parley/kit/db';
import { z } from 'zod';
import type { Assistant as AssistantRow, PrismaClient } from '../generated/prisma/client.ts';
import type { JsonObject } from '../json-object.ts';
import { toTool } from '../tools/tools.store.ts';
import type { Tx } from '../transact.ts';
import { type Assistant, toolIdsOf } from './assistant.ts';
import {
  type AssistantSummary,
  pageOfAll,
  pageOfSearch,
  pageRow,
  restOfPage,
  summaryRow,
  toFound,
  toSummary,
} from './assistant-page.ts';

const idRow = z.object({ id: z.string() });

export type AssistantStore = ReturnType<typeof createAssistantStore>;

export function createAssistantStore(prisma: PrismaClient) {
  const findVersion = async (workspaceId: string, id: string): Promise<number | undefined> =>
    (await prisma.assistant.findFirst({ where: { workspaceId, id }, select: { version: true } }))?.version;

  return {
    find: (workspaceId: string, id: string, client: Tx = prisma) => find(client, workspaceId, id),
    findVersion,
    exists: async (workspaceId: string, id: string) => (await findVersion(workspaceId, id)) !== undefined,
    findWebhookSecrets: (workspaceId: string, ids: readonly string[]) =>
      prisma.assistant.findMany({
        where: { workspaceId, id: { in: [...ids] } },
        select: { id: true, version: true, webhookSecret: true },
      }),
    // SQL: reads one key of the configurations, which have up to 256 KiB each.
    findBriefs: (workspaceId: string, ids: readonly string[]) =>
      queryRows(
        prisma,
        assistantUpdated,
        sql`
          SELECT a.id AS agent_id, a.agent_name, a.version, a.config #>> '{settings,webhookUrl}' AS webhook_url
          FROM assistants a WHERE a.workspace_id = ${workspaceId}::uuid AND a.id = ANY (${ids}::uuid[])`,
      ),
    /** The assistant and the tools of its `toolIds`, in one snapshot. */
    findWithTools: (workspaceId: string, id: string) =>
      transaction(
        prisma,
        async (tx) => {
          const assistant = await find(tx, workspaceId, id);
          if (!assistant) return undefined;
          const tools = await tx.tool.findMany({
            where: { workspaceId, agentId: assistant.id, id: { in: toolIdsOf(assistant.config) } },
          });
          return { assistant, tools: tools.map(toTool) };
        },
        { isolationLevel: 'RepeatableRead' },
      ),
    /** Most recently updated first; `within`: only these ids. */
    page: async (
      workspaceId: string,
      wanted: {
        search?: string | undefined;
        within?: readonly string[] | undefined;
        limit: number;
        offset: number;
      },
    ) => {
      const { search = '', within } = wanted;
      const isSearch = wanted.search !== undefined || within !== undefined;
      const statement = isSearch
        ? pageOfSearch(workspaceId, { ...wanted, search })
        : pageOfAll(workspaceId, wanted);
      const rows = await queryRows(prisma, pageRow, statement);
      const read = async (ids: string[]): Promise<AssistantSummary[]> =>
        (await queryRows(prisma, summaryRow, restOfPage(workspaceId, ids))).map(toSummary);
      return { items: readInSteps(rows.flatMap(toFound), read), total: rows[0]?.total ?? 0 };
    },
    /** Locks the assistant until the transaction ends. */
    lock: async (tx: Tx, workspaceId: string, id: string) => {
      const statement = sql`
        SELECT id FROM assistants WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid FOR UPDATE`;
      const [locked] = await queryRows(tx, idRow, statement);
      return locked && find(tx, workspaceId, locked.id);
    },
    /** Locks those that use a knowledge base until the transaction ends, in the order of their ids. */
    lockUsersOf: async (
      tx: Tx,
      workspaceId: string,
      knowledgeBaseId: string,
      { after, limit }: { after: string | undefined; limit: number },
    ) => {
      const beyond = after === undefined ? sql`` : sql`AND l.assistant_id > ${after}::uuid`;
      const statement = sql`
        SELECT a.id FROM knowledge_links l JOIN assistants a ON a.id = l.assistant_id
        WHERE a.workspace_id = ${workspaceId}::uuid AND l.knowledge_base_id = ${knowledgeBaseId}::uuid ${beyond}
        ORDER BY l.assistant_id LIMIT ${limit}::int FOR UPDATE OF a`;
      const ids = (await queryRows(tx, idRow, statement)).map(({ id }) => id);
      const rows = await tx.assistant.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
      return rows.map(toAssistant);
    },
    insert: async (tx: Tx, assistant: Assistant) => {
      const { workspaceId, id, agentName, agentType, config, sealedWebhookSecret, version } = assistant;
      await tx.$executeRaw(
        withKnowledgeLinks(sql`
          INSERT INTO assistants AS a (workspace_id, id, agent_name, agent_type, config, webhook_secret, version, updated_at,
            created_at)
          VALUES (${workspaceId}::uuid, ${id}::uuid, ${agentName}, ${agentType}, ${JSON.stringify(config)}::json,
            ${sealedWebhookSecret}, ${version}, ${assistant.updatedAt}::timestamptz, ${assistant.createdAt}::timestamptz)`),
      );
    },
    /** Writes what can change: name, type, configuration, secret, version. */
    save: async (tx: Tx, assistants: readonly Assistant[]) => {
      if (assistants.length === 0) return;
      const rows = assistants.map((assistant) => ({
        id: assistant.id,
        agent_name: assistant.agentName,
        agent_type: assistant.agentType,
        config: JSON.stringify(assistant.config),
        webhook_secret: assistant.sealedWebhookSecret,
        version: assistant.version,
        updated_at: assistant.updatedAt,
      }));
      await tx.$executeRaw(
        withKnowledgeLinks(sql`
          UPDATE assistants a SET agent_name = c.agent_name, agent_type = c.agent_type, config = c.config::json,
            webhook_secret = c.webhook_secret, version = c.version, updated_at = c.updated_at
          FROM json_to_recordset(${JSON.stringify(rows)}::json) AS c (id uuid, agent_name text, agent_type text, config text,
            webhook_secret text, version int, updated_at timestamptz)
          WHERE a.id = c.id`),
      );
    },
    /** Deletes its tools as well. */
    remove: async (tx: Tx, workspaceId: string, id: string) => {
      await tx.assistant.deleteMany({ where: { workspaceId, id } });
    },
  };
}

/**
 * A statement that inserts or updates assistants `a`, and their links to knowledge bases from `kbStoreIds`. Fails for a deleted
 * base by the foreign key. SQL, because Prisma copies JSON key by key and would lose keys such as `__proto__`.
 */
const withKnowledgeLinks = (write: Statement): Statement => sql`
  WITH saved AS (${write} RETURNING a.id, a.config),
  named AS (
    SELECT saved.id AS assistant_id, listed.id::uuid AS knowledge_base_id
    FROM saved CROSS JOIN json_array_elements_text(saved.config -> 'kbStoreIds') AS listed (id)
  ), dropped AS (
    DELETE FROM knowledge_links l USING saved
    WHERE l.assistant_id = saved.id
      AND NOT EXISTS (SELECT FROM named n WHERE (n.assistant_id, n.knowledge_base_id) = (l.assistant_id, l.knowledge_base_id))
  )
  INSERT INTO knowledge_links (assistant_id, knowledge_base_id)
  SELECT assistant_id, knowledge_base_id FROM named ON CONFLICT DO NOTHING`;

async function find(client: Tx, workspaceId: string, id: string): Promise<Assistant | undefined> {
  const row = await client.assistant.findFirst({ where: { workspaceId, id } });
  return row ? toAssistant(row) : undefined;
}

function toAssistant({ webhookSecret, searchName: _, config, ...row }: AssistantRow): Assistant {
  return { ...row, config: config as JsonObject, sealedWebhookSecret: webhookSecret };
}
