import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { contact, contactInput, contactStatus } from '../shapes/campaign.ts';
import { idParams, queryInt } from '../shapes/primitives.ts';

const route = {
  service: 'campaigns',
  access: 'private',
  tag: 'Campaigns',
  params: idParams,
  badIdCode: 'CAMPAIGN_NOT_FOUND',
} as const;

export const skipDuplicates = z
  .boolean()
  .default(false)
  .describe('Of each number the campaign keeps the contact that it has, or else the first of the body');

/** What stands beside `contacts` in the body of an append. */
export const contactsAppend = z.object({ skip_duplicates: skipDuplicates });

export const listContacts = defineEndpoint({
  ...route,
  id: 'listContacts',
  method: 'GET',
  path: '/v1/campaigns/:id/contacts',
  query: z.object({
    limit: queryInt(1, 1000, 50).describe('Items at once'),
    offset: queryInt(0, 2_147_483_647, 0).describe('How many to skip: `next_cursor` of the last page'),
    status: contactStatus.optional().describe('Only contacts in this state'),
  }),
  status: 200,
  envelope: 'list',
  response: contact,
  errors: ['CAMPAIGN_NOT_FOUND', 'VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: "List a campaign's contacts with their outcomes",
  description:
    'In the order in which they came. `next_cursor` is the next offset. An offset past the end gives an empty list.',
});

export const appendContacts = defineEndpoint({
  ...route,
  id: 'appendContacts',
  method: 'POST',
  path: '/v1/campaigns/:id/contacts',
  body: 'stream',
  streamed: contactsAppend.extend({
    contacts: z.array(contactInput).min(1).describe('Whom to call; no upper limit'),
  }),
  status: 201,
  envelope: 'data',
  response: z.object({
    added: z.int().describe('Without the duplicates that were skipped'),
    total_contacts: z.int().describe('Contacts that it has now'),
  }),
  errors: [
    'CAMPAIGN_NOT_FOUND',
    'CONFLICT',
    'VALIDATION_FAILED',
    'CONTACTS_INSERT_FAILED',
    'UNAUTHORIZED',
    'FORBIDDEN',
  ],
  idempotent: true,
  summary: 'Add contacts to a campaign that is not over',
  description:
    'Read as a stream, all or nothing, as the creation is. A campaign that dials goes on with them; one that is ' +
    'completed or cancelled, or becomes so while they arrive, answers `CONFLICT`.',
  example: { contacts: [{ phone_number: '+14155550198', contact_name: 'Linus' }], skip_duplicates: true },
});

export const downloadContacts = defineEndpoint({
  ...route,
  id: 'downloadContacts',
  method: 'GET',
  path: '/v1/campaigns/:id/contacts.csv',
  status: 200,
  envelope: 'bare',
  errors: ['CAMPAIGN_NOT_FOUND', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: "Download a campaign's contacts with their outcomes",
  description:
    'CSV (RFC 4180) in UTF-8, of any length: a header row, then the fields of the list in its order, `custom_data` as JSON. ' +
    'A name that a spreadsheet would take for a formula comes with an apostrophe before it.',
});
