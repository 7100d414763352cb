import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { circuit } from '../shapes/explanation.ts';
import { e164, idParams, isoMillis } from '../shapes/primitives.ts';

/** All conditions for a campaign's next dial. */
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
    /** Dial requests of campaigns that have not been dialed yet. */
    waiting: z.int(),
    live_calls: z.int(),
    /** Null: the gateway could not be reached. */
    max_live_calls: z.int().nullable(),
    call_workers: z.int(),
    /** Suspension and restrictions [trust.22] [trust.24]. Absent in responses of an older telephony. */
    is_suspended: z.boolean().default(false),
    allowed_destinations: z.array(z.string()).default([]),
    /** Null: no limit. `reserved_cents`: one minute for each live call. */
    spend: z
      .object({
        limit_cents: z.int(),
        spent_cents: z.int(),
        reserved_cents: z.int(),
        is_exhausted: z.boolean(),
      })
      .nullable()
      .default(null),
    circuit,
  }),
  errors: ['NOT_FOUND'],
  summary: "The conditions for the next dial of a number of the caller's workspace",
});
