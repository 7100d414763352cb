import { z } from 'zod';
import { e164, isoMicros, uuid } from './primitives.ts';

/** Phone number object (spec: Phone number object). */
export const phoneNumber = z
  .object({
    id: uuid.describe("The number's record"),
    workspace_id: uuid.describe('The workspace that it belongs to'),
    phone_number: e164.describe('E.164; connected once, in one workspace'),
    nickname: z.string().nullable().describe('For people; never changes'),
    provider: z
      .enum(['hosted_sip', 'telco'])
      .describe('`hosted_sip`: connected over SIP trunking; `telco`: imported by its carrier account'),
    is_active: z.boolean().describe("Only an active number places calls; the operator's to change"),
    max_cps: z
      .number()
      .describe('Calls a second that are dialled from it at most, over campaigns and single calls together'),
    inbound_agent_id: uuid.nullable().describe('The assistant that answers; null: nobody does'),
    outbound_agent_id: uuid.nullable().describe('The assistant that calls when a call names none'),
    inbound_webhook_url: z.string().nullable().describe('Asked before an inbound call connects; null: off'),
    inbound_agent_name: z.string().nullable().describe('Of `inbound_agent_id`'),
    outbound_agent_name: z.string().nullable().describe('Of `outbound_agent_id`'),
    created_at: isoMicros.describe('When it was connected'),
    updated_at: isoMicros.describe('Last change'),
  })
  .meta({ id: 'PhoneNumber', description: 'A phone number that is connected' });
