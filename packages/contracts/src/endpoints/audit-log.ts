import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { auditEntry } from '../shapes/audit-entry.ts';
import { isoInput, offsetPage } from '../shapes/primitives.ts';

const filter = (what: string) => z.string().min(1).max(320).optional().describe(what);

export const listAuditLog = defineEndpoint({
  service: 'gateway',
  access: 'private',
  role: 'admin',
  tag: 'Audit log',
  id: 'listAuditLog',
  method: 'GET',
  path: '/v1/audit-log',
  query: z.object({
    actor: filter('Id of the actor, or e-mail address of the member'),
    action: filter('Action such as `key.revoked`, or a prefix such as `key` for all actions on keys'),
    target: filter('Id of the changed resource'),
    from: isoInput.optional().describe('Earliest time, inclusive'),
    to: isoInput.optional().describe('Latest time, inclusive'),
    ...offsetPage(),
  }),
  status: 200,
  envelope: 'list',
  response: auditEntry,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'List the audit log, newest first',
  description:
    'Changes to keys, members, secrets, phone numbers, limits and the do-not-call list, and deletions: who made ' +
    'them, when and from which address. Entries cannot be changed or deleted, and are kept for 400 days unless ' +
    'configured otherwise. A change appears within seconds. A session needs the `admin` or `owner` role. ' +
    '`next_cursor` is the next offset; an offset past the end returns an empty list. Pass a fixed `to` while ' +
    'paging, because new entries shift the offsets.',
});
