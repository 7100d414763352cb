import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { uuid } from '../shapes/primitives.ts';

const sipMessage = z.object({
  at: z.string(),
  direction: z.enum(['sent', 'received']),
  transport: z.string(),
  /** `address:port` of our end and of the far end. */
  local: z.string(),
  remote: z.string(),
  /** With its secrets masked. */
  message: z.string(),
});
export type SipMessage = z.output<typeof sipMessage>;

/** For the operator: a call of any workspace [sip.37]. */
export const getSipTrace = defineEndpoint({
  access: 'internal',
  tag: 'Internal',
  envelope: 'data',
  status: 200,
  service: 'telephony',
  id: 'getSipTrace',
  method: 'GET',
  path: '/internal/calls/:id/sip-trace',
  params: z.object({ id: uuid.describe('The call') }),
  response: z.array(sipMessage),
  errors: ['VALIDATION_FAILED', 'NOT_FOUND'],
  summary: 'SIP messages of a call, in their order (any workspace)',
});
