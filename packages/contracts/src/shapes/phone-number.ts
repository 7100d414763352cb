import { z } from 'zod';
import { e164, isoMicros, uuid } from './primitives.ts';

/** The SIP trunk of a number [sip.35] [sip.36]. */
const numberTrunk = z
  .object({
    registration: z
      .enum(['pending', 'registered', 'failed'])
      .describe(
        'Whether calls from the addresses of its host are accepted; `pending`: the host has not been resolved yet; ' +
          '`failed`: it does not resolve to public addresses',
      ),
    health: z
      .enum(['unknown', 'up', 'down'])
      .describe('Whether it responds to OPTIONS; `unknown`: it has not been checked yet'),
    reason: z
      .string()
      .nullable()
      .describe('What the last check found, such as `503 Service Unavailable`; null: nothing to report'),
    since: isoMicros.nullable().describe('When the health changed last'),
    checked_at: isoMicros.nullable().describe('Time of the last check'),
  })
  .meta({ id: 'NumberTrunk', description: 'State of the SIP trunk of a phone number' });

/** Phone number [numbers.1]. */
export const phoneNumber = z
  .object({
    id: uuid.describe('Id of the phone number'),
    workspace_id: uuid.describe('Workspace of the number'),
    phone_number: e164.describe('E.164; unique in the workspace'),
    nickname: z.string().nullable().describe('Display name; cannot be changed'),
    provider: z
      .enum(['hosted_sip', 'telco'])
      .describe('`hosted_sip`: connected over SIP trunking; `telco`: imported from a carrier account'),
    is_active: z.boolean().describe('Whether the number can place calls; changed by the operator'),
    max_cps: z.number().describe('Maximum outbound calls per second, across campaigns and single calls'),
    inbound_agent_id: uuid
      .nullable()
      .describe('Assistant for inbound calls; null: none, calls are not answered'),
    outbound_agent_id: uuid.nullable().describe('Default assistant for outbound calls; null: none'),
    inbound_webhook_url: z
      .string()
      .nullable()
      .describe('URL that is called before an inbound call connects; null: off'),
    inbound_agent_name: z
      .string()
      .nullable()
      .describe('Name of the inbound assistant; null if there is none'),
    outbound_agent_name: z
      .string()
      .nullable()
      .describe('Name of the outbound assistant; null if there is none'),
    trunk: numberTrunk
      .nullable()
      .describe('State of the SIP trunk; null for imported numbers and for trunks that are simulated'),
    created_at: isoMicros.describe('Time of creation'),
    updated_at: isoMicros.describe('Time of the last change'),
  })
  .meta({ id: 'PhoneNumber', description: 'A connected phone number' });
