import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { searchText } from '../shapes/number-part.ts';
import { e164, isoMillis, offsetPage } from '../shapes/primitives.ts';

const route = { service: 'telephony', access: 'private', tag: 'Do not call' } as const;

export const addToDoNotCall = defineEndpoint({
  ...route,
  id: 'addToDoNotCall',
  method: 'POST',
  path: '/v1/do-not-call',
  body: z.object({
    phone_numbers: z
      .array(e164)
      .min(1)
      .max(10_000)
      .describe('Numbers to add; numbers already on the list are accepted'),
  }),
  status: 201,
  envelope: 'data',
  response: z.object({ added: z.int().describe('Numbers that were not on the list before') }),
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  idempotent: true,
  summary: 'Add numbers to the do-not-call list',
  description:
    'The list is checked right before each dial: neither single calls nor campaigns dial these numbers any more, except dials that ' +
    'leave within the same second. ' +
    'A queued call ends with `dial_failed`, and its timeline gives the reason. Inbound calls are not affected.',
  example: { phone_numbers: ['+14155550199'] },
});

export const listDoNotCall = defineEndpoint({
  ...route,
  id: 'listDoNotCall',
  method: 'GET',
  path: '/v1/do-not-call',
  query: z.object({
    ...offsetPage(1000),
    search: searchText.describe(
      'Part of the number, or its beginning after `+`; spaces and punctuation are ignored',
    ),
  }),
  status: 200,
  envelope: 'list',
  response: z.object({
    phone_number: e164.describe('The number'),
    created_at: isoMillis.describe('When it was added'),
  }),
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'List the do-not-call list, newest first',
  description: '`next_cursor` is the next offset; an offset past the end returns an empty list.',
});

export const removeFromDoNotCall = defineEndpoint({
  ...route,
  id: 'removeFromDoNotCall',
  method: 'DELETE',
  path: '/v1/do-not-call/:phone_number',
  params: z.object({ phone_number: e164.describe('The number, with `+` literal or encoded as `%2B`') }),
  status: 204,
  envelope: 'none',
  errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Remove a number from the do-not-call list',
  description: 'The number can be dialed again immediately. `NOT_FOUND` if it is not on the list.',
});
