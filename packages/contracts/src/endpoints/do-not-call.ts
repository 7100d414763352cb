import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { e164, isoMillis, queryInt } from '../shapes/primitives.ts';

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
      .describe('Numbers that must not be dialled; one that is listed already is no error'),
  }),
  status: 201,
  envelope: 'data',
  response: z.object({ added: z.int().describe('Numbers that were not on the list before') }),
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  idempotent: true,
  summary: "Put numbers on the workspace's do-not-call list",
  description:
    'The list is asked right before the carrier is: neither single calls nor campaigns dial these numbers from now on. A ' +
    'call that is queued already ends as `dial_failed`, and its timeline says why. It keeps nobody from calling in.',
  example: { phone_numbers: ['+14155550199'] },
});

export const listDoNotCall = defineEndpoint({
  ...route,
  id: 'listDoNotCall',
  method: 'GET',
  path: '/v1/do-not-call',
  query: z.object({
    limit: queryInt(1, 1000, 50).describe('Items at once'),
    offset: queryInt(0, 2_147_483_647, 0).describe('How many to skip: `next_cursor` of the last page'),
  }),
  status: 200,
  envelope: 'list',
  response: z.object({
    phone_number: e164.describe('The number'),
    created_at: isoMillis.describe('When it was put on the list'),
  }),
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: "List the workspace's do-not-call list, newest first",
  description: '`next_cursor` is the next offset. An offset past the end gives an empty list.',
});

export const removeFromDoNotCall = defineEndpoint({
  ...route,
  id: 'removeFromDoNotCall',
  method: 'DELETE',
  path: '/v1/do-not-call/:phone_number',
  params: z.object({ phone_number: e164.describe('The number; `+` as `%2B` or as it is') }),
  status: 204,
  envelope: 'none',
  errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Take a number off the do-not-call list',
  description: 'It may be dialled again from the answer on. 404 where it is not on the list.',
});
