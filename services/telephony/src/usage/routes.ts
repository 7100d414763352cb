import { storedBytesOf } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { createStoredBytes, type StoredTable } from '@parley/kit/usage';
import { STORED_RECORDINGS } from '../after-call/recordings/recording-share.ts';
import type { PrismaClient } from '../prisma.ts';

const OF_CALL = {
  parent: { column: 'call_id', join: 'JOIN calls c ON c.id = t.call_id', workspace: 'c.workspace_id' },
};

/** Tables that grow with a workspace's use [trust.6]. */
const TABLES: readonly StoredTable[] = [
  { name: 'calls' },
  { name: 'turns', ...OF_CALL },
  { name: 'tool_executions', ...OF_CALL },
  { name: 'call_events', ...OF_CALL },
  { name: 'web_messages', ...OF_CALL },
  { name: 'sip_messages', ...OF_CALL },
  { name: 'dial_requests' },
  { name: 'call_rollups' },
  { name: 'call_outcomes' },
  { name: 'outcome_totals' },
  { name: 'idempotency_keys' },
  { name: 'outbox_contents' },
  STORED_RECORDINGS,
];

export function mountStoredBytes(app: App, { prisma }: { prisma: PrismaClient }): void {
  const measure = createStoredBytes(prisma, TABLES);
  mount(app, storedBytesOf('telephony'), measure);
}
