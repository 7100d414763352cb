import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { contact, contactInput, contactStatus } from '../shapes/campaign.ts';
import { searchText } from '../shapes/number-part.ts';
import { idParams, offsetPage } from '../shapes/primitives.ts';

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
  .describe('Keep one contact per number: an existing one, otherwise the first in the body');

/** The body of an append without `contacts`, which are read from the stream. */
export const contactsAppend = z.object({ skip_duplicates: skipDuplicates });

export const listContacts = defineEndpoint({
  ...route,
  id: 'listContacts',
  method: 'GET',
  path: '/v1/campaigns/:id/contacts',
  query: z.object({
    ...offsetPage(1000),
    status: contactStatus.optional().describe('Filter by status'),
    search: searchText.describe(
      'Part of the number, or its beginning after `+` (spaces and punctuation are ignored), or of the name in any case',
    ),
  }),
  status: 200,
  envelope: 'list',
  response: contact,
  errors: ['CAMPAIGN_NOT_FOUND', 'VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: "List a campaign's contacts with their outcomes",
  description:
    'In the order in which they were added. `next_cursor` is the next offset. A page is limited to 1 MiB, so it may ' +
    'have fewer items than `limit`. An offset past the end returns an empty list.',
});

export const appendContacts = defineEndpoint({
  ...route,
  id: 'appendContacts',
  method: 'POST',
  path: '/v1/campaigns/:id/contacts',
  body: 'stream',
  streamed: contactsAppend.extend({
    contacts: z.array(contactInput).min(1).describe('The contacts to call; no maximum'),
  }),
  status: 201,
  envelope: 'data',
  response: z.object({
    added: z.int().describe('Contacts added, without skipped duplicates'),
    total_contacts: z.int().describe('Contacts of the campaign after the request'),
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
  summary: 'Add contacts to a campaign',
  description:
    'The body is streamed as on creation; all contacts are stored, or none. A running campaign dials them too. ' +
    '`CONFLICT` if the campaign is completed or cancelled, or becomes so during the upload.',
  example: { contacts: [{ phone_number: '+14155550198', contact_name: 'Linus' }], skip_duplicates: true },
});

export const downloadContacts = defineEndpoint({
  ...route,
  id: 'downloadContacts',
  method: 'GET',
  path: '/v1/campaigns/:id/contacts.csv',
  status: 200,
  envelope: 'bare',
  mediaType: 'text/csv; charset=utf-8',
  errors: ['CAMPAIGN_NOT_FOUND', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: "Download a campaign's contacts as CSV",
  description:
    'CSV (RFC 4180), UTF-8: a header row, then the fields of the list in the same order, `custom_data` as JSON. ' +
    'Values that a spreadsheet would interpret as a formula are prefixed with an apostrophe.',
});
