import { z } from 'zod';
import { campaignStatus } from './campaign.ts';
import { isoMillis, OPEN_ENUM, uuid } from './primitives.ts';

/** Why a campaign is not dialing; `dialling` is the only reason if nothing prevents it. Values may be added. */
export const OBSTACLES = [
  'draft',
  'scheduled',
  'paused',
  'completed',
  'cancelled',
  'hours_closed',
  'withdrawal_pending',
  'broker_unreachable',
  'telephony_unreachable',
  'assistant_unreachable',
  'limits_unreachable',
  'number_deleted',
  'workspace_suspended',
  'daily_spend_limit',
  'destination_not_allowed',
  'number_inactive',
  'no_call_worker',
  'circuit_open',
  'concurrency_full',
  'pace',
  'waiting_for_retries',
  'calls_in_progress',
  'dialling',
] as const;
export const obstacle = z.enum(OBSTACLES);
export type Obstacle = z.output<typeof obstacle>;

/** Circuit breaker of a number's dials. */
export const circuit = z.object({
  state: z
    .enum(['closed', 'open', 'probing'])
    .describe('`closed`: dials are sent; `open`: campaigns wait; `probing`: one dial is tried'),
  failures_in_a_row: z.int().describe('Consecutive dials that the carrier failed'),
  last_failed_at: isoMillis.nullable().describe('Time of the last failure'),
  opened_at: isoMillis.nullable().describe('Time at which the circuit opened; null while it is closed'),
  openings: z.int().describe('Consecutive openings; each delay is twice the previous one, up to a maximum'),
  next_probe_at: isoMillis
    .nullable()
    .describe('Time of the next trial dial; null while the circuit is closed'),
});

export type NumberCircuit = z.output<typeof circuit>;

/** [campaigns.18]. Fields from telephony are null while it is unreachable, and if the number was deleted. */
export const explanation = z
  .object({
    campaign_id: uuid.describe('Id of the campaign'),
    at: isoMillis.describe('Time of this report'),
    state: campaignStatus.describe('Status of the campaign'),
    reasons: z
      .array(
        z.object({
          code: obstacle.meta(OPEN_ENUM).describe('Reason; values may be added'),
          message: z.string().describe('Explanation for people'),
        }),
      )
      .describe('Most important first. Programs should branch on `code`'),
    hours: z
      .object({
        is_open: z.boolean().describe('Whether the campaign may dial now'),
        tz: z.string().nullable().describe('IANA time zone; null: always open'),
        next_opening_at: isoMillis
          .nullable()
          .describe('Next opening; null while open, and if none is foreseeable'),
        next_closing_at: isoMillis
          .nullable()
          .describe('Next closing; null while closed, and if none is foreseeable'),
      })
      .describe('Business hours'),
    pace: z
      .object({
        max_cps: z.number().describe('Maximum calls per second of the number'),
        next_slot_at: isoMillis.describe('Earliest time of the next dial'),
        waiting: z.int().describe('Dials waiting for the number, of all campaigns and single calls'),
      })
      .nullable()
      .describe('Dial rate of the number'),
    concurrency: z
      .object({
        live: z.int().describe('Calls that have not ended'),
        most: z.int().nullable().describe('Maximum; null if it is unknown'),
      })
      .nullable()
      .describe('Concurrent calls of the workspace'),
    carrier: z
      .object({
        is_number_active: z.boolean().describe('Whether the number is active'),
        call_workers: z.int().describe('Number of call workers'),
        last_failed_at: isoMillis
          .nullable()
          .describe('Time of the last dial of this number that the carrier failed'),
      })
      .nullable()
      .describe('Carrier and call workers'),
    circuit: circuit.nullable().describe('Circuit breaker of the number'),
    contacts: z
      .object({
        total: z.int().describe('Number of contacts'),
        pending: z.int().describe('Not tried yet'),
        retry_due: z.int().describe('Waiting for a retry that is due'),
        retry_later: z.int().describe('Waiting for a retry that is not due yet'),
        next_retry_at: isoMillis.nullable().describe('Time of the next retry; null if there is none'),
        requested: z.int().describe('Sent to telephony, but not dialed yet'),
        dialing: z.int().describe('Being dialed'),
        in_progress: z.int().describe('In a conversation'),
        succeeded: z.int().describe('Reached'),
        failed: z.int().describe('Failed after all attempts'),
      })
      .describe('Contacts by state'),
  })
  .meta({ id: 'Explanation', description: 'Why a campaign is not dialing' });
export type Explanation = z.output<typeof explanation>;
