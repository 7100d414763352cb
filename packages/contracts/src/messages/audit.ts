import { z } from 'zod';
import { auditActor, auditChanges, auditTarget } from '../shapes/audit-entry.ts';

/**
 * An entry for the audit log [trust.17], published in the transaction of the change. The envelope's `id`, `occurred_at` and
 * `workspace_id` are the entry's id, time and workspace.
 */
export const auditRecorded = z.object({
  action: z.string(),
  actor: auditActor,
  address: z.string().nullable(),
  target: auditTarget,
  changes: auditChanges,
});
