import { z } from 'zod';
import { e164, uuid } from '../shapes/primitives.ts';

/** A phone number, for copies in other services. Copies accept only a higher `version`. */
export const phoneNumberUpdated = z.object({
  phone_number_id: uuid,
  phone_number: e164,
  version: z.int(),
  inbound_agent_id: uuid.nullable(),
  outbound_agent_id: uuid.nullable(),
  is_active: z.boolean(),
});

export const phoneNumberDeleted = z.object({ phone_number_id: uuid, phone_number: e164, version: z.int() });
