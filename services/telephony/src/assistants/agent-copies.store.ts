import { queryRow, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { PrismaClient } from '../prisma.ts';
import type { AgentCopies } from './ports.ts';

const copyRow = z.object({ deleted: z.boolean() });

export function createAgentCopies(prisma: PrismaClient): AgentCopies {
  return {
    find: async (workspaceId, agentIds) => {
      const rows = await prisma.agent.findMany({
        where: { workspaceId, agentId: { in: [...agentIds] }, deleted: false },
        select: { agentId: true, agentName: true, version: true, webhookUrl: true },
      });
      return new Map(rows.map((row) => [row.agentId, row]));
    },
    remember: async (tx, workspaceId, { agentId, agentName, version, webhookUrl }) => {
      // An unchanged row is locked too.
      await tx.$executeRaw(sql`
        INSERT INTO agents AS known (agent_id, workspace_id, agent_name, version, webhook_url)
        VALUES (${agentId}::uuid, ${workspaceId}::uuid, ${agentName}, ${version}, ${webhookUrl})
        ON CONFLICT (agent_id) DO UPDATE
        SET agent_name = EXCLUDED.agent_name, version = EXCLUDED.version, webhook_url = EXCLUDED.webhook_url
        WHERE known.version < EXCLUDED.version AND NOT known.deleted`);
      const row = await queryRow(
        tx,
        copyRow,
        sql`SELECT deleted FROM agents WHERE agent_id = ${agentId}::uuid AND workspace_id = ${workspaceId}::uuid`,
      );
      return row?.deleted === false;
    },
    markDeleted: async (tx, workspaceId, { agentId, version, at }) => {
      // The name of an unknown assistant is shown nowhere.
      await tx.$executeRaw(sql`
        INSERT INTO agents (agent_id, workspace_id, agent_name, version, deleted, deleted_at)
        VALUES (${agentId}::uuid, ${workspaceId}::uuid, '', ${version}, true, ${at.toISOString()}::timestamptz)
        ON CONFLICT (agent_id) DO UPDATE
        SET deleted = true, version = EXCLUDED.version, deleted_at = EXCLUDED.deleted_at`);
    },
    knownVersions: async (agentIds) => {
      const rows = await prisma.agent.findMany({
        where: { agentId: { in: [...agentIds] } },
        select: { agentId: true, version: true, deleted: true },
      });
      return new Map(rows.map(({ agentId, version, deleted }) => [agentId, { version, isDeleted: deleted }]));
    },
  };
}
