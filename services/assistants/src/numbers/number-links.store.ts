import { sql, transaction } from '@parley/kit/db';
import { once } from '@parley/kit/inbox';
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { Tx } from '../transact.ts';

/** The assistants of a phone number, as of a version. */
export type NumberLink = {
  phoneNumberId: string;
  workspaceId: string;
  phoneNumber: string;
  inboundAgentId: string | null;
  outboundAgentId: string | null;
  version: number;
};

const CONSUMER = 'assistants.number-links';
/** Above every version that a late message can have. */
const FINAL_VERSION = 2_147_483_647;

export type NumberLinks = ReturnType<typeof createNumberLinks>;

export function createNumberLinks(prisma: PrismaClient) {
  return {
    /** Stores the link of a message, unless the message was processed before or a newer version is known. */
    store: (messageId: string, link: NumberLink): Promise<void> =>
      transaction(prisma, async (tx) => {
        if (await once(tx, CONSUMER, messageId)) await storeNewer(tx, [link]);
      }),
    /** Stores the links that are newer than the known ones; returns their number. */
    storeNewer: (links: readonly NumberLink[]): Promise<number> => storeNewer(prisma, links),
    /** Ids above `after` of numbers with an assistant, in order. */
    listAssigned: async (after: string | null, limit: number): Promise<string[]> => {
      const rows = await prisma.numberLink.findMany({
        where: {
          ...(after === null ? {} : { phoneNumberId: { gt: after } }),
          OR: [{ inboundAgentId: { not: null } }, { outboundAgentId: { not: null } }],
        },
        select: { phoneNumberId: true },
        orderBy: { phoneNumberId: 'asc' },
        take: limit,
      });
      return rows.map(({ phoneNumberId }) => phoneNumberId);
    },
    /** Unassigns numbers that were deleted, and ignores all later messages about them; returns their number. */
    retire: async (phoneNumberIds: readonly string[]): Promise<number> => {
      const { count } = await prisma.numberLink.updateMany({
        where: { phoneNumberId: { in: [...phoneNumberIds] } },
        data: { inboundAgentId: null, outboundAgentId: null, version: FINAL_VERSION },
      });
      return count;
    },
  };
}

/** SQL: a conditional upsert. In the order of ids, so that concurrent ones do not deadlock. */
function storeNewer(client: Tx, links: readonly NumberLink[]): Promise<number> {
  return client.$executeRaw(sql`
    INSERT INTO number_links (phone_number_id, workspace_id, phone_number, inbound_agent_id, outbound_agent_id, version)
    SELECT l."phoneNumberId", l."workspaceId", l."phoneNumber", l."inboundAgentId", l."outboundAgentId", l.version
    FROM json_to_recordset(${JSON.stringify(links)}::json) AS l ("phoneNumberId" uuid, "workspaceId" uuid, "phoneNumber" text,
      "inboundAgentId" uuid, "outboundAgentId" uuid, version int)
    ORDER BY 1
    ON CONFLICT (phone_number_id) DO UPDATE SET inbound_agent_id = excluded.inbound_agent_id,
      outbound_agent_id = excluded.outbound_agent_id, version = excluded.version
    WHERE number_links.version < excluded.version`);
}
