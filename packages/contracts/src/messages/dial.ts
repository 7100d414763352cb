import { z } from 'zod';
import { e164, isoMillis, jsonObject, uuid } from '../shapes/primitives.ts';

/** Command of a campaign to dial a contact. The attempt's id becomes the call's id, which makes it idempotent. */
export const dialRequested = z.object({
  call_id: uuid,
  campaign_id: uuid,
  contact_id: uuid,
  /** Generation of the campaign when the contact was claimed; refused if it has been withdrawn since [campaigns.7]. */
  generation: z.int(),
  agent_id: uuid,
  phone_number_id: uuid,
  to_number: e164,
  dynamic_variables: jsonObject,
  /** End of the campaign's business hours: no dial starts from then on. */
  not_after: isoMillis.optional(),
});

/**
 * Why telephony did not dial. `withdrawn` and `destination_not_allowed` return the contact to the campaign [trust.22]; the others
 * are failures without a dial.
 */
export const dialRefusal = z.enum([
  'withdrawn',
  'do_not_call',
  'number_unavailable',
  'agent_unavailable',
  'destination_not_allowed',
]);

export const dialRefused = z.object({
  call_id: uuid,
  campaign_id: uuid,
  contact_id: uuid,
  reason: dialRefusal,
});
