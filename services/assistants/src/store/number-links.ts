import { transaction } from '@parley/kit/db';
import { once } from '@parley/kit/inbox';
import type { NumberLinks } from '../domain/numbers/ports.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';

const CONSUMER = 'assistants.number-links';

const TAKE = `
  INSERT INTO number_links (phone_number_id, workspace_id, phone_number, inbound_agent_id, outbound_agent_id, version)
  VALUES ($1::uuid, $2::uuid, $3, $4::uuid, $5::uuid, $6)
  ON CONFLICT (phone_number_id) DO UPDATE SET inbound_agent_id = excluded.inbound_agent_id,
    outbound_agent_id = excluded.outbound_agent_id, version = excluded.version
  WHERE number_links.version < excluded.version`;

export function createNumberLinks(prisma: PrismaClient): NumberLinks {
  return {
    take: (
      messageId,
      { phoneNumberId, workspaceId, phoneNumber, inboundAgentId, outboundAgentId, version },
    ) =>
      transaction(prisma, async (tx) => {
        if (!(await once(tx, CONSUMER, messageId))) return;
        const agents = [inboundAgentId, outboundAgentId];
        await tx.$executeRawUnsafe(TAKE, phoneNumberId, workspaceId, phoneNumber, ...agents, version);
      }),
  };
}
