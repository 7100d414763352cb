import { type Sql, transaction } from '@parley/kit/db';
import { once } from '@parley/kit/inbox';
import type { NumberLink, NumberLinks } from '../domain/numbers/ports.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';

const CONSUMER = 'assistants.number-links';

/** In the order of ids, so that two of these never wait for each other in a circle. */
const TAKE = `
  INSERT INTO number_links (phone_number_id, workspace_id, phone_number, inbound_agent_id, outbound_agent_id, version)
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::int[]) ORDER BY 1
  ON CONFLICT (phone_number_id) DO UPDATE SET inbound_agent_id = excluded.inbound_agent_id,
    outbound_agent_id = excluded.outbound_agent_id, version = excluded.version
  WHERE number_links.version < excluded.version`;
const NAMING = `
  SELECT phone_number_id::text AS id FROM number_links
  WHERE ($1::uuid IS NULL OR phone_number_id > $1::uuid)
    AND (inbound_agent_id IS NOT NULL OR outbound_agent_id IS NOT NULL)
  ORDER BY phone_number_id LIMIT $2::int`;
/** The row stays, above every version that a message can still bring. */
const BURY = `
  UPDATE number_links SET inbound_agent_id = NULL, outbound_agent_id = NULL, version = 2147483647
  WHERE phone_number_id = ANY ($1::uuid[])`;

export function createNumberLinks(prisma: PrismaClient): NumberLinks {
  return {
    take: (messageId, link) =>
      transaction(prisma, async (tx) => {
        if (await once(tx, CONSUMER, messageId)) await takeNewer(tx, [link]);
      }),
    takeNewer: (links) => takeNewer(prisma, links),
    naming: async (after, limit) => {
      const rows = await prisma.$queryRawUnsafe<{ id: string }[]>(NAMING, after, limit);
      return rows.map(({ id }) => id);
    },
    bury: (ids) => prisma.$executeRawUnsafe(BURY, [...ids]),
  };
}

function takeNewer(sql: Sql, links: readonly NumberLink[]): Promise<number> {
  return sql.$executeRawUnsafe(
    TAKE,
    links.map(({ phoneNumberId }) => phoneNumberId),
    links.map(({ workspaceId }) => workspaceId),
    links.map(({ phoneNumber }) => phoneNumber),
    links.map(({ inboundAgentId }) => inboundAgentId),
    links.map(({ outboundAgentId }) => outboundAgentId),
    links.map(({ version }) => version),
  );
}
