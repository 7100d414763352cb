import { z } from 'zod';
import { e164, isoMillis, jsonObject, uuid } from '../shapes/primitives.ts';

/** A campaign asks telephony to dial a contact. The attempt's id becomes the call's id; repeating it dials nothing twice. */
export const dialRequested = z.object({
  call_id: uuid,
  campaign_id: uuid,
  contact_id: uuid,
  /** Of the campaign when it was claimed; a lower one than was withdrawn is refused (D7.1). */
  generation: z.int(),
  agent_id: uuid,
  phone_number_id: uuid,
  to_number: e164,
  dynamic_variables: jsonObject,
  /** The campaign's hours close then: nothing leaves from this instant on. */
  not_after: isoMillis.optional(),
});

/** Why telephony didn't dial. `withdrawn` gives the contact back; the others are failures without a dial. */
export const dialRefusal = z.enum(['withdrawn', 'do_not_call', 'number_unavailable', 'agent_unavailable']);

export const dialRefused = z.object({
  call_id: uuid,
  campaign_id: uuid,
  contact_id: uuid,
  reason: dialRefusal,
});
