import { queryRows, sql, uniqueViolation } from '@parley/kit/db';
import { conflict } from '@parley/kit/errors';
import { z } from 'zod';
import type { PrismaClient, Tx } from '../prisma.ts';
import { addTermination, findTrunkViews, removeUnusedTermination } from '../trunks/terminations.store.ts';
import { type PhoneNumber, type PhoneNumberView, providers } from './phone-number.ts';

/** Workspaces that have the same number, each on its own trunk. */
const MAX_SAME_NUMBER = 32;
const omit = { secrets: true, trunk: true, termination: true } as const;
const omitOfView = { secrets: true, trunk: true } as const;
const newestFirst = [{ createdAt: 'desc' as const }, { id: 'desc' as const }];

const idRow = z.object({ id: z.string() });
const pageRow = z.object({ total: z.number(), id: z.string().nullable() });
const dialRateRow = z.object({ id: z.string(), maxCps: z.number(), isActive: z.boolean() });

export type NumberStore = ReturnType<typeof createNumberStore>;

export function createNumberStore(prisma: PrismaClient) {
  return {
    find: (workspaceId: string, id: string) => findView(prisma, workspaceId, id),

    findByNumber: async (workspaceId: string, phoneNumber: string): Promise<PhoneNumber | undefined> => {
      const where = { workspaceId_phoneNumber: { workspaceId, phoneNumber } };
      return found(await prisma.phoneNumber.findUnique({ where, omit }));
    },

    /** For carriers that don't name a workspace; undefined also when several workspaces have the number. */
    findByDigits: async (phoneNumber: string): Promise<PhoneNumber | undefined> => {
      const rows = await prisma.phoneNumber.findMany({ where: { phoneNumber }, omit, take: 2 });
      return rows.length === 1 ? found(rows[0] ?? null) : undefined;
    },

    findById: async (id: string): Promise<PhoneNumber | undefined> =>
      found(await prisma.phoneNumber.findUnique({ where: { id }, omit })),

    /** Numbers of any workspace. */
    dialRates: (ids: readonly string[]) =>
      queryRows(
        prisma,
        dialRateRow,
        sql`SELECT id::text, max_cps AS "maxCps", is_active AS "isActive" FROM phone_numbers WHERE id = ANY (${ids}::uuid[])`,
      ),

    /** Numbers of any workspace in the order of their ids, above `after`, up to and including `upTo`. */
    walk: async ({ after, upTo, limit }: NumberRange): Promise<PhoneNumber[]> => {
      const id = { ...(after === null ? {} : { gt: after }), ...(upTo === null ? {} : { lte: upTo }) };
      const rows = await prisma.phoneNumber.findMany({
        where: { id },
        omit,
        orderBy: { id: 'asc' },
        take: limit,
      });
      return rows.map(toNumber);
    },

    /** Newest first; `search` is part of the number or the nickname, in any case. */
    page: async (workspaceId: string, { search, limit, offset }: NumberSearch) => {
      // strpos, not LIKE: the search text has no wildcards. One statement, so that the total fits the page.
      const rows = await queryRows(
        prisma,
        pageRow,
        sql`WITH matches AS NOT MATERIALIZED (
            SELECT id, created_at FROM phone_numbers
            WHERE workspace_id = ${workspaceId}::uuid AND (${search ?? null}::text IS NULL
              OR strpos(phone_number, ${search ?? null}) > 0 OR strpos(lower(nickname), lower(${search ?? null})) > 0)
          )
          SELECT t.total, page.id::text FROM (SELECT count(*)::int AS total FROM matches) t
          LEFT JOIN (SELECT id FROM matches ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}) page ON true`,
      );
      const ids = rows.flatMap(({ id }) => id ?? []);
      const where = { id: { in: ids } };
      const items = await prisma.phoneNumber.findMany({ where, omit: omitOfView, orderBy: newestFirst });
      // Numbers may have been deleted since the first statement.
      const total = (rows[0]?.total ?? 0) - (ids.length - items.length);
      return { items: await toViews(prisma, items), total };
    },

    count: (tx: Tx, workspaceId: string): Promise<number> => tx.phoneNumber.count({ where: { workspaceId } }),

    /** Throws `CONFLICT` when the workspace has the number already, or another workspace has it on the same trunk. */
    insert: async (
      tx: Tx,
      number: PhoneNumber,
      { sealed, trunk, termination }: { sealed: string; trunk: string; termination: string | null },
    ): Promise<void> => {
      // While the trunk of a connected number is unknown, it may be this one.
      const where = { phoneNumber: number.phoneNumber, trunk: null };
      if (await tx.phoneNumber.findFirst({ where, select: { id: true } })) throw connectedAlready();
      const clock = { create: { nextDialAt: number.createdAt } };
      if (termination) await addTermination(tx, termination, number.workspaceId);
      try {
        await tx.phoneNumber.create({
          data: { ...number, secrets: sealed, trunk, termination, clock },
          select: { id: true },
        });
      } catch (err) {
        if (uniqueViolation(err)) throw connectedAlready();
        throw err;
      }
    },

    /** Locks the number until the transaction ends; without a workspace, a number of any. */
    lock: async (tx: Tx, id: string, workspaceId?: string): Promise<PhoneNumber | undefined> => {
      const ofWorkspace = workspaceId === undefined ? sql`true` : sql`n.workspace_id = ${workspaceId}::uuid`;
      const lock = sql`SELECT n.id::text FROM phone_numbers n WHERE n.id = ${id}::uuid AND ${ofWorkspace} FOR UPDATE`;
      if ((await queryRows(tx, idRow, lock)).length === 0) return undefined;
      return found(await tx.phoneNumber.findUnique({ where: { id }, omit }));
    },

    /** Locks all numbers of the workspace that the assistant is assigned to. */
    lockByAgent: async (tx: Tx, workspaceId: string, agentId: string): Promise<PhoneNumber[]> => {
      const locked = await queryRows(
        tx,
        idRow,
        sql`SELECT n.id::text FROM phone_numbers n
          WHERE n.workspace_id = ${workspaceId}::uuid AND ${agentId}::uuid IN (n.inbound_agent_id, n.outbound_agent_id)
          ORDER BY n.id FOR UPDATE`,
      );
      const where = { id: { in: locked.map(({ id }) => id) } };
      return (await tx.phoneNumber.findMany({ where, omit, orderBy: { id: 'asc' } })).map(toNumber);
    },

    /** Writes the fields that can change. */
    save: async (tx: Tx, number: PhoneNumber): Promise<void> => {
      const { id, isActive, maxCps, inboundAgentId, outboundAgentId, inboundWebhookUrl, version, updatedAt } =
        number;
      const data = {
        isActive,
        maxCps,
        inboundAgentId,
        outboundAgentId,
        inboundWebhookUrl,
        version,
        updatedAt,
      };
      await tx.phoneNumber.update({ where: { id }, data, select: { id: true } });
    },

    read: async (tx: Tx, { workspaceId, id }: PhoneNumber): Promise<PhoneNumberView> => {
      const number = await findView(tx, workspaceId, id);
      if (!number) throw new Error(`locked phone number ${id} is missing`);
      return number;
    },

    remove: async (tx: Tx, { id }: PhoneNumber): Promise<void> => {
      const { termination } = await tx.phoneNumber.delete({ where: { id }, select: { termination: true } });
      if (termination) await removeUnusedTermination(tx, termination);
    },

    sealedSecrets: async (workspaceId: string, id: string): Promise<string | undefined> => {
      const row = await prisma.phoneNumber.findUnique({
        where: { id, workspaceId },
        select: { secrets: true },
      });
      return row?.secrets ?? undefined;
    },

    /** SIP numbers of any workspace with these digits, the oldest first, with their sealed secrets. */
    sealedByDigits: async (phoneNumber: string) => {
      const select = {
        id: true,
        workspaceId: true,
        phoneNumber: true,
        isActive: true,
        secrets: true,
      } as const;
      const where = { phoneNumber, provider: 'hosted_sip' };
      const orderBy = [{ createdAt: 'asc' }, { id: 'asc' }] as const;
      return prisma.phoneNumber.findMany({ where, select, orderBy: [...orderBy], take: MAX_SAME_NUMBER });
    },

    /** Numbers that were connected before trunks were recorded, with their sealed secrets. */
    withoutTrunk: async (limit: number) => {
      const where = { trunk: null };
      const rows = await prisma.phoneNumber.findMany({ where, orderBy: { id: 'asc' }, take: limit });
      return rows.map(({ secrets, trunk, termination, ...row }) => ({
        number: toNumber(row),
        sealed: secrets,
      }));
    },

    /** SIP numbers, with their sealed secrets. */
    withTrunks: async (after: string | null, limit: number) => {
      const id = after === null ? {} : { id: { gt: after } };
      const where = { ...id, provider: 'hosted_sip', secrets: { not: null } };
      return prisma.phoneNumber.findMany({
        where,
        select: { id: true, workspaceId: true, secrets: true, termination: true },
        orderBy: { id: 'asc' },
        take: limit,
      });
    },

    setTermination: async (
      { id, workspaceId }: Pick<PhoneNumber, 'id' | 'workspaceId'>,
      before: string | null,
      termination: string,
    ): Promise<void> => {
      await addTermination(prisma, termination, workspaceId);
      await prisma.phoneNumber.updateMany({ where: { id, termination: before }, data: { termination } });
    },

    /** False when another workspace has the number on this trunk. */
    setTrunk: async (id: string, trunk: string): Promise<boolean> => {
      try {
        await prisma.phoneNumber.updateMany({ where: { id, trunk: null }, data: { trunk } });
        return true;
      } catch (err) {
        if (uniqueViolation(err)) return false;
        throw err;
      }
    },
  };
}

type NumberRange = { after: string | null; upTo: string | null; limit: number };
type NumberSearch = { search?: string | undefined; limit: number; offset: number };

const connectedAlready = () => conflict('This phone number is already connected');

async function findView(client: Tx, workspaceId: string, id: string): Promise<PhoneNumberView | undefined> {
  const row = await client.phoneNumber.findUnique({ where: { id, workspaceId }, omit: omitOfView });
  return row ? (await toViews(client, [row]))[0] : undefined;
}

/** With the names of their assistants and the state of their trunks. */
async function toViews(
  client: Tx,
  rows: readonly (Row & { termination: string | null })[],
): Promise<PhoneNumberView[]> {
  const trunks = await findTrunkViews(
    client,
    rows.flatMap(({ termination }) => termination ?? []),
  );
  const named = await withAgentNames(
    client,
    rows.map(({ termination, ...row }) => toNumber(row)),
  );
  return named.map((number, i) => ({ ...number, trunk: trunks.get(rows[i]?.termination ?? '') ?? null }));
}

/** Numbers of one workspace with the names of their assistants. */
async function withAgentNames(
  client: Tx,
  numbers: readonly PhoneNumber[],
): Promise<Omit<PhoneNumberView, 'trunk'>[]> {
  const ids = new Set(
    numbers
      .flatMap(({ inboundAgentId, outboundAgentId }) => [inboundAgentId ?? [], outboundAgentId ?? []])
      .flat(),
  );
  const workspaceId = numbers[0]?.workspaceId;
  if (workspaceId === undefined) return [];
  const where = { agentId: { in: [...ids] }, workspaceId, deleted: false };
  const agents =
    ids.size === 0 ? [] : await client.agent.findMany({ where, select: { agentId: true, agentName: true } });
  const names = new Map(agents.map(({ agentId, agentName }) => [agentId, agentName]));
  return numbers.map((number) => ({
    ...number,
    inboundAgentName: names.get(number.inboundAgentId ?? '') ?? null,
    outboundAgentName: names.get(number.outboundAgentId ?? '') ?? null,
  }));
}

type Row = Omit<PhoneNumber, 'provider'> & { provider: string };

function toNumber(row: Row): PhoneNumber {
  return { ...row, provider: providers.parse(row.provider) };
}

const found = (row: Row | null): PhoneNumber | undefined => (row ? toNumber(row) : undefined);
