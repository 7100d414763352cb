import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { e164, uuid } from '../shapes/primitives.ts';

export const callIn = defineEndpoint({
  service: 'telephony',
  access: 'private',
  tag: 'Simulator',
  id: 'callIn',
  method: 'POST',
  path: '/simulator/inbound',
  body: z.object({
    from_number: e164.describe('Who calls'),
    to_number: e164.describe('A number of the workspace'),
    script: z
      .array(z.string().trim().min(1).max(2_000))
      .max(200)
      .optional()
      .describe('The lines of the human, who hangs up after the last; else drawn from `from_number`'),
  }),
  status: 202,
  envelope: 'data',
  response: z.object({ call_id: uuid.describe('The call') }),
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'UNAUTHORIZED', 'FORBIDDEN'],
  idempotent: true,
  summary: 'Have the simulated carrier bring an inbound call',
  description:
    'Development stack only: 404 in production. The call is answered by the assistant that the inbound webhook chooses, ' +
    'or by the `inbound_agent_id` of the number; with no assistant at all, or when the workspace has as many calls as it ' +
    'may have, it ends as `call_rejected`. An imported number has to be pointed at the service first ' +
    '(`POST /v1/phone-number/{id}/telco-webhook`).',
  example: { from_number: '+14155550199', to_number: '+14155550123', script: ['Hello.', 'Goodbye.'] },
});
