import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { erasure } from '../shapes/erasure.ts';
import { e164, idParams, offsetPage } from '../shapes/primitives.ts';

const route = { service: 'gateway', access: 'private', tag: 'Privacy' } as const;

export const createErasure = defineEndpoint({
  ...route,
  id: 'createErasure',
  method: 'POST',
  path: '/v1/erasure',
  body: z.object({
    phone_number: e164.describe('Phone number of the person'),
    keep_do_not_call: z
      .boolean()
      .default(true)
      .describe(
        'Keep the number on the do-not-call list if it is on it, so that the person is not called again',
      ),
  }),
  status: 202,
  envelope: 'data',
  response: erasure,
  errors: ['CONFLICT', 'VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED'],
  idempotent: true,
  summary: 'Erase a person by phone number',
  description:
    'Runs in the background; get its progress and receipt with `GET /v1/erasure/{id}`. Calls in progress with the ' +
    'number are ended, and queued dials are withdrawn. Calls keep their times, outcome and cost and lose everything ' +
    'else: numbers, transcript, turns, tool executions, recording, summary, analysis, variables and metadata. ' +
    'Contacts keep only their outcome. Webhook events and attempts of the calls are deleted, and pending ones are ' +
    'not delivered. Elsewhere in the workspace the digits of the number are replaced. `CONFLICT` if the number is a ' +
    'phone number of the workspace itself, or an erasure of it is in progress; `RATE_LIMITED` while 1,000 erasures ' +
    'of the workspace are in progress.',
  example: { phone_number: '+14155550199' },
});

export const getErasure = defineEndpoint({
  ...route,
  id: 'getErasure',
  method: 'GET',
  path: '/v1/erasure/:id',
  params: idParams,
  status: 200,
  envelope: 'data',
  response: erasure,
  errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Get an erasure with its progress and receipt',
  description: 'Available as long as the workspace exists. Never contains the number.',
});

export const listErasures = defineEndpoint({
  ...route,
  id: 'listErasures',
  method: 'GET',
  path: '/v1/erasure',
  query: z.object(offsetPage()),
  status: 200,
  envelope: 'list',
  response: erasure,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'List erasures, newest first',
  description: '`next_cursor` is the next offset; an offset past the end returns an empty list.',
});
