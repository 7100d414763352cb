import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { circuit } from '../shapes/explanation.ts';
import { e164, idParams, isoMillis } from '../shapes/primitives.ts';

/** All that decides whether and when a campaign's next dial leaves, in one question. */
export const getDialConditions = defineEndpoint({
  access: 'internal',
  tag: 'Internal',
  envelope: 'data',
  status: 200,
  service: 'telephony',
  id: 'getDialConditions',
  method: 'GET',
  path: '/internal/phone-numbers/:id/dial-conditions',
  params: idParams,
  response: z.object({
    phone_number: e164,
    is_active: z.boolean(),
    max_cps: z.number(),
    next_dial_at: isoMillis,
    /** Requests of campaigns that are not dialled yet. */
    waiting: z.int(),
    live_calls: z.int(),
    /** Null: the gateway could not be asked. */
    max_live_calls: z.int().nullable(),
    call_workers: z.int(),
    circuit,
  }),
  errors: ['NOT_FOUND'],
  summary: "What a number of the caller's workspace waits for before it dials",
});
