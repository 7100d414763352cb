import { z } from 'zod';
import { e164, isoMicros, uuid } from './primitives.ts';

/** Phone number object (spec: Phone number object). */
export const phoneNumber = z.object({
  id: uuid,
  workspace_id: uuid,
  phone_number: e164,
  nickname: z.string().nullable(),
  provider: z.enum(['hosted_sip', 'telco']),
  is_active: z.boolean(),
  max_cps: z.number(),
  inbound_agent_id: uuid.nullable(),
  outbound_agent_id: uuid.nullable(),
  inbound_webhook_url: z.string().nullable(),
  inbound_agent_name: z.string().nullable(),
  outbound_agent_name: z.string().nullable(),
  created_at: isoMicros,
  updated_at: isoMicros,
});
