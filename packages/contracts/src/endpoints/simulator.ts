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
    from_number: e164.describe('Calling number'),
    to_number: e164.describe('A phone number of the workspace'),
    script: z
      .array(z.string().trim().min(1).max(2_000))
      .max(200)
      .optional()
      .describe(
        'What the caller says, line by line; the caller hangs up after the last. Default: derived from `from_number`',
      ),
  }),
  status: 202,
  envelope: 'data',
  response: z.object({ call_id: uuid.describe('The call') }),
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'UNAUTHORIZED', 'FORBIDDEN'],
  idempotent: true,
  summary: 'Simulate an inbound call',
  description:
    'Development stacks only; 404 in production. The call is answered by the assistant chosen by the inbound ' +
    "webhook, or by the number's `inbound_agent_id`. It ends with `call_rejected` if there is no assistant, or the " +
    'workspace has reached its maximum number of concurrent calls. Imported numbers must be set up with `POST ' +
    '/v1/phone-number/{id}/telco-webhook` first.',
  example: { from_number: '+14155550199', to_number: '+14155550123', script: ['Hello.', 'Goodbye.'] },
});
