import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { phoneNumberUpdated } from '../messages/phone-number.ts';
import { uuid } from '../shapes/primitives.ts';

const route = { access: 'internal', tag: 'Internal', envelope: 'data', status: 200, errors: [] } as const;

/** The numbers of all workspaces in the order of their ids, in the shape of `phone-number.updated`. */
export const walkPhoneNumbers = defineEndpoint({
  ...route,
  service: 'telephony',
  id: 'walkPhoneNumbers',
  method: 'POST',
  path: '/internal/phone-numbers/walk',
  /** The first `limit` with an id above `after`, up to and including `up_to`; null: from the first, to the last. */
  body: z.object({ after: uuid.nullable(), up_to: uuid.nullable(), limit: z.int().min(1).max(1000) }),
  response: z.array(phoneNumberUpdated.extend({ workspace_id: uuid })),
  summary: 'Page through all numbers, to repair a copy of them (any workspace)',
});

/** One step of repairing the links between numbers and assistants after lost messages. */
export const rebuildNumberLinks = defineEndpoint({
  ...route,
  service: 'assistants',
  id: 'rebuildNumberLinks',
  method: 'POST',
  path: '/internal/number-links/rebuild',
  /** Null first; then `next` of the previous response. */
  body: z.object({ after: uuid.nullable() }),
  response: z.object({
    /** Numbers that were missing or outdated. */
    taken: z.int(),
    /** Numbers that no longer exist. */
    removed: z.int(),
    /** Null after the last step. */
    next: uuid.nullable(),
  }),
  summary: 'Repair the numbers in the list of assistants, one step (any workspace)',
});
