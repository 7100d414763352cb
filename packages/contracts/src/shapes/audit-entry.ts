import { z } from 'zod';
import { isoMillis, jsonObject, uuid } from './primitives.ts';

export const auditActor = z
  .object({
    kind: z
      .enum(['key', 'public_key', 'member', 'operator', 'service'])
      .describe("`operator`: the operator's CLI; `service`: the platform itself"),
    id: z.string().describe('Id of the key or membership, user name of the operator, or name of the service'),
    name: z
      .string()
      .nullable()
      .describe('E-mail address of the member or name of the key at that time; null for others'),
  })
  .describe('Who made the change');

export const auditTarget = z
  .object({
    type: z
      .string()
      .describe('Type of the resource, such as `key`, `member` or `phone_number`; values may be added'),
    id: z.string().describe('Id of the resource'),
    name: z.string().nullable().describe('Display name at that time'),
  })
  .describe('The changed resource');

/** Field → `{from, to}`, where applicable. Secrets are `********`. */
export const auditChanges = jsonObject.describe(
  'Changes by field: `{from, to}`, where applicable. Secrets are `********`; long texts are truncated',
);

export const auditEntry = z
  .object({
    id: uuid.describe('Id of the entry'),
    at: isoMillis.describe('Time of the change'),
    action: z.string().describe('Action, such as `key.revoked`; values may be added'),
    actor: auditActor,
    address: z
      .string()
      .nullable()
      .describe('IP address of the client; null if the change did not come from a request'),
    request_id: z.string().nullable().describe('`x-request-id` of the request'),
    target: auditTarget,
    changes: auditChanges,
  })
  .meta({ id: 'AuditEntry', description: 'An entry of the audit log' });
export type AuditEntry = z.output<typeof auditEntry>;
