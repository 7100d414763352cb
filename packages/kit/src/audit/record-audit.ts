import type { SqlClient } from '../db/index.ts';
import type { ChangedBy } from '../http/index.ts';
import { enqueue } from '../outbox/index.ts';
import { type AuditEntry, newAuditRecord } from './audit-record.ts';

/**
 * Adds an entry to the workspace's audit log [trust.17]: it is published through the outbox in the transaction of the change, and stored by
 * the gateway, which writes its own entries directly.
 */
export async function recordAudit(tx: SqlClient, by: ChangedBy, entry: AuditEntry): Promise<void> {
  await enqueue(tx, {
    type: 'audit.recorded',
    workspaceId: by.workspaceId,
    occurredAt: entry.at,
    requestId: by.requestId,
    data: newAuditRecord(by, entry),
  });
}
