import { queryRow, queryRows, raw, readInSteps, type Statement, sql, uniqueViolation } from '@parley/kit/db';
import { conflict } from '@parley/kit/errors';
import { z } from 'zod';
import { caseless } from '../caseless.ts';
import type { PrismaClient, Tool as ToolRow } from '../generated/prisma/client.ts';
import type { Tx } from '../transact.ts';
import type { Tool } from './tool.ts';

const idRow = z.object({ id: z.string() });
const usageRow = z.object({ count: z.number(), bytes: z.number() });
/** `id` is null in the only row of an empty page, which has the total. */
const pageRow = z.object({ total: z.number(), id: z.string().nullable(), bytes: z.number().nullable() });

const BYTES = raw(`octet_length(coalesce(t.parameters::text, '')) + octet_length(coalesce(t.description, ''))
  + octet_length(coalesce(t.headers, '')) + octet_length(coalesce(t.sms_static_message, '')) + octet_length(t.endpoint_url)`);

type Range = { limit: number; offset: number };

type ToolFilter = { kind?: 'custom' | 'native' | undefined; search?: string | undefined };

/** With the name of its assistant. */
export type NamedTool = Tool & { agentName: string };

export type ToolStore = ReturnType<typeof createToolStore>;

export function createToolStore(prisma: PrismaClient) {
  return {
    find: (workspaceId: string, id: string) => find(prisma, workspaceId, id),
    /** One assistant's tools, newest first. SQL: items are read by their sizes, and `search` is not a pattern (strpos, not LIKE). */
    page: async (
      workspaceId: string,
      agentId: string,
      wanted: Range & { search?: string | undefined; nativeOnly: boolean },
    ) => {
      const condition = sql`workspace_id = ${workspaceId}::uuid AND agent_id = ${agentId}::uuid
        AND (is_native OR NOT ${wanted.nativeOnly}::boolean) AND strpos(lower(tool_name), lower(${wanted.search ?? ''})) > 0`;
      const { total, found } = await findPage(prisma, condition, wanted);
      const read = async (ids: string[]): Promise<Tool[]> =>
        (await prisma.tool.findMany({ where: { workspaceId, agentId, id: { in: ids } } })).map(toTool);
      return { items: readInSteps(found, read), total };
    },
    /** The tools of all assistants, newest first. */
    pageOfAll: async (workspaceId: string, wanted: Range & ToolFilter) => {
      const { total, found } = await findPage(prisma, ofAll(workspaceId, wanted), wanted);
      const read = async (ids: string[]): Promise<NamedTool[]> => {
        const include = { assistant: { select: { agentName: true } } };
        const rows = await prisma.tool.findMany({ where: { workspaceId, id: { in: ids } }, include });
        return rows.map(({ assistant, ...row }) => ({ ...toTool(row), agentName: assistant.agentName }));
      };
      return { items: readInSteps(found, read), total };
    },
    /** Locks the tool until the transaction ends, after its assistant; also against key rotation, which rewrites secrets. */
    lock: async (tx: Tx, workspaceId: string, id: string) => {
      const statement = sql`
        SELECT id FROM tools WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid FOR UPDATE`;
      const [locked] = await queryRows(tx, idRow, statement);
      return locked && find(tx, workspaceId, locked.id);
    },
    /** An assistant's native tools, oldest first, locked after the assistant until the transaction ends. */
    lockNative: async (tx: Tx, workspaceId: string, agentId: string): Promise<Tool[]> => {
      const statement = sql`
        SELECT id FROM tools WHERE workspace_id = ${workspaceId}::uuid AND agent_id = ${agentId}::uuid AND is_native
        ORDER BY created_at, id FOR UPDATE`;
      const ids = (await queryRows(tx, idRow, statement)).map(({ id }) => id);
      return (await tx.tool.findMany({ where: { id: { in: ids } }, orderBy: OLDEST_FIRST })).map(toTool);
    },
    /** Names and kinds of all tools of an assistant, oldest first. Stable while the assistant is locked. */
    listOwn: (tx: Tx, workspaceId: string, agentId: string) =>
      tx.tool.findMany({
        where: { workspaceId, agentId },
        select: { id: true, toolName: true, isNative: true },
        orderBy: OLDEST_FIRST,
      }),
    /** All tools of an assistant, oldest first. */
    listWhole: async (tx: Tx, workspaceId: string, agentId: string): Promise<Tool[]> => {
      const where = { workspaceId, agentId };
      return (await tx.tool.findMany({ where, orderBy: OLDEST_FIRST })).map(toTool);
    },
    /** The number and the size of an assistant's tools. */
    usage: async (tx: Tx, workspaceId: string, agentId: string): Promise<z.output<typeof usageRow>> => {
      const statement = sql`SELECT count(*)::int AS count, coalesce(sum(${BYTES}), 0)::int AS bytes
        FROM tools t WHERE t.workspace_id = ${workspaceId}::uuid AND t.agent_id = ${agentId}::uuid`;
      return (await queryRow(tx, usageRow, statement)) ?? { count: 0, bytes: 0 };
    },
    /** Throws `CONFLICT` if the assistant already has a tool of that name. */
    insert: (tx: Tx, tool: Tool) =>
      withUniqueName(tool, async () => {
        await tx.tool.create({ data: toRow(tool), select: { id: true } });
        if (tool.parameters !== null) await setParameters(tx, tool);
      }),
    /** Throws `CONFLICT` if the assistant has another tool of that name. */
    save: (tx: Tx, tool: Tool) =>
      withUniqueName(tool, async () => {
        await tx.tool.update({ where: { id: tool.id }, data: toRow(tool), select: { id: true } });
        if (!tool.isNative) await setParameters(tx, tool);
      }),
    remove: async (tx: Tx, workspaceId: string, id: string) => {
      await tx.tool.deleteMany({ where: { workspaceId, id } });
    },
  };
}

/** The tools that match, newest first, by id and size, and how many match. */
async function findPage(client: Tx, condition: Statement, range: Range) {
  const rows = await queryRows(client, pageRow, pageOf(condition, range));
  const found = rows.flatMap(({ id, bytes }) =>
    id === null ? [] : [{ id, bytes: bytes ?? 0, row: undefined }],
  );
  return { total: rows[0]?.total ?? 0, found };
}

export const pageOf = (condition: Statement, { limit, offset }: Range): Statement => sql`
  WITH matches AS NOT MATERIALIZED (
    SELECT id, created_at FROM tools WHERE ${condition}
  ), page AS (
    SELECT id FROM matches ORDER BY created_at DESC, id DESC LIMIT ${limit}::int OFFSET ${offset}::bigint
  )
  SELECT c.total, t.id, ${BYTES} AS bytes
  FROM (SELECT count(*)::int AS total FROM matches) c LEFT JOIN (page JOIN tools t USING (id)) ON true
  ORDER BY t.created_at DESC, t.id DESC`;

/** The condition of the tools of all assistants. `search` is not a pattern, so strpos and not LIKE. */
export function ofAll(workspaceId: string, { kind, search }: ToolFilter): Statement {
  const ofKind = kind === undefined ? sql`` : sql`AND is_native = ${kind === 'native'}::boolean`;
  const hasText =
    search === undefined
      ? sql``
      : sql`AND (
          strpos(lower(tool_name), lower(${search})) > 0 OR strpos(lower(endpoint_url), lower(${search})) > 0
          OR agent_id IN (
            SELECT a.id FROM assistants a
            WHERE a.workspace_id = ${workspaceId}::uuid AND strpos(a.search_name, ${caseless(sql`${search}`)}) > 0))`;
  return sql`workspace_id = ${workspaceId}::uuid ${ofKind} ${hasText}`;
}

const OLDEST_FIRST = [{ createdAt: 'asc' as const }, { id: 'asc' as const }];

async function find(client: Tx, workspaceId: string, id: string): Promise<Tool | undefined> {
  const row = await client.tool.findFirst({ where: { workspaceId, id } });
  return row ? toTool(row) : undefined;
}

/** SQL, because Prisma copies JSON key by key and would lose keys such as `__proto__`. */
async function setParameters(tx: Tx, { id, parameters }: Tool): Promise<void> {
  const text = parameters && JSON.stringify(parameters);
  await tx.$executeRaw`UPDATE tools SET parameters = ${text}::json WHERE id = ${id}::uuid`;
}

async function withUniqueName({ toolName }: Tool, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (err) {
    if (uniqueViolation(err)) throw conflict(`The assistant already has a tool named ${toolName}`);
    throw err;
  }
}

export function toTool({ headers, webhookSecret, telcoCredentials, ...row }: ToolRow): Tool {
  return {
    ...row,
    sealedHeaders: headers,
    sealedWebhookSecret: webhookSecret,
    sealedTelcoCredentials: telcoCredentials,
  } as Tool;
}

function toRow({
  parameters: _,
  sealedHeaders: headers,
  sealedWebhookSecret: webhookSecret,
  sealedTelcoCredentials: telcoCredentials,
  ...tool
}: Tool) {
  return { ...tool, headers, webhookSecret, telcoCredentials };
}
