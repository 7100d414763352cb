import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { phoneNumberUpdated } from '../messages/phone-number.ts';
import { uuid } from '../shapes/primitives.ts';

const route = { access: 'internal', tag: 'Internal', envelope: 'data', status: 200, errors: [] } as const;

/** The numbers of all workspaces in the order of their ids, as `phone-number.updated` tells of them. */
export const walkPhoneNumbers = defineEndpoint({
  ...route,
  service: 'telephony',
  id: 'walkPhoneNumbers',
  method: 'POST',
  path: '/internal/phone-numbers/walk',
  /** The first `limit` with an id above `after`, up to and with `up_to`; null: from the first, to the last. */
  body: z.object({ after: uuid.nullable(), up_to: uuid.nullable(), limit: z.int().min(1).max(1000) }),
  response: z.array(phoneNumberUpdated.extend({ workspace_id: uuid })),
  summary: 'What a copy of the numbers is set right by (any workspace)',
});

/** A step of the walk that sets right which numbers name which assistants, whatever messages were lost. */
export const rebuildNumberLinks = defineEndpoint({
  ...route,
  service: 'assistants',
  id: 'rebuildNumberLinks',
  method: 'POST',
  path: '/internal/number-links/rebuild',
  /** Null begins; then the `next` of the answer before. */
  body: z.object({ after: uuid.nullable() }),
  response: z.object({
    /** Numbers that were unknown or known by an older version. */
    taken: z.int(),
    /** Numbers that are gone. */
    removed: z.int(),
    /** Null after the last step. */
    next: uuid.nullable(),
  }),
  summary: "Set right the numbers in the assistants' list, a step of it (any workspace)",
});
