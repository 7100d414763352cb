import { z } from 'zod';
import { campaignStatus } from './campaign.ts';
import { isoMillis, uuid } from './primitives.ts';

/** Why nothing is dialled; `dialling` stands alone, when nothing is in the way. Others may be added. */
export const OBSTACLES = [
  'draft',
  'scheduled',
  'paused',
  'completed',
  'cancelled',
  'hours_closed',
  'withdrawal_under_way',
  'broker_unreachable',
  'telephony_unreachable',
  'assistant_unreachable',
  'limits_unreachable',
  'number_deleted',
  'number_inactive',
  'no_call_worker',
  'circuit_open',
  'concurrency_full',
  'pace',
  'waiting_for_retries',
  'calls_under_way',
  'dialling',
] as const;
export const obstacle = z.enum(OBSTACLES);
export type Obstacle = z.output<typeof obstacle>;

/** What the carrier makes of a number's dials. `probing`: one attempt is being tried. */
export const circuit = z.object({
  state: z
    .enum(['closed', 'open', 'probing'])
    .describe('`closed`: dials go out; `open`: campaigns wait; `probing`: one attempt is being tried'),
  failures_in_a_row: z.int().describe('Dials that the carrier failed, one after the other'),
  last_failed_at: isoMillis.nullable().describe('When the last one did'),
  opened_at: isoMillis.nullable().describe('When the circuit opened; null while it is closed'),
  openings: z.int().describe('Pauses in a row; each is twice as long as the one before, up to a limit'),
  next_probe_at: isoMillis.nullable().describe('When one attempt is tried; null while it is closed'),
});

export type NumberCircuit = z.output<typeof circuit>;

/** D7.7. What telephony tells is null while it can't be asked, and of a number that is gone. */
export const explanation = z
  .object({
    campaign_id: uuid.describe('The campaign'),
    at: isoMillis.describe('The moment that this tells of'),
    state: campaignStatus.describe("The campaign's status"),
    reasons: z
      .array(
        z.object({
          code: obstacle.describe('Codes may be added'),
          message: z.string().describe('The same in a sentence'),
        }),
      )
      .describe('For people, what weighs most first; programs branch on `code`'),
    hours: z
      .object({
        is_open: z.boolean().describe('Whether it may dial now'),
        tz: z.string().nullable().describe('Null: always open'),
        next_opening_at: isoMillis.nullable().describe('Null while open, and where none is in sight'),
        next_closing_at: isoMillis.nullable().describe('Null while closed, and where none is in sight'),
      })
      .describe('When the campaign may dial'),
    pace: z
      .object({
        max_cps: z.number().describe('Calls a second of the number'),
        next_slot_at: isoMillis.describe('When it may dial again'),
        waiting: z.int().describe('Dials that wait for the number, of all campaigns and single calls'),
      })
      .nullable()
      .describe('How fast the number may dial'),
    concurrency: z
      .object({
        live: z.int().describe('Calls that are not over'),
        most: z.int().nullable().describe('The limit; null while it is not known'),
      })
      .nullable()
      .describe("The workspace's calls at once"),
    carrier: z
      .object({
        is_number_active: z.boolean().describe('Whether its number may place calls'),
        call_workers: z.int().describe('Processes that dial and carry calls'),
        last_failed_at: isoMillis.nullable().describe('When the carrier last failed a dial of this number'),
      })
      .nullable()
      .describe('What stands between a dial and the carrier'),
    circuit: circuit.nullable().describe("What the carrier makes of the number's dials"),
    contacts: z
      .object({
        total: z.int().describe('All contacts'),
        pending: z.int().describe('Not tried yet'),
        retry_due: z.int().describe('Waiting for a retry that may begin now'),
        retry_later: z.int().describe('Waiting for a retry that is not due yet'),
        next_retry_at: isoMillis
          .nullable()
          .describe('When the next of those is due; null where there is none'),
        requested: z.int().describe('Handed to telephony, which has not dialled them yet'),
        dialing: z.int().describe('Being dialled'),
        in_progress: z.int().describe('In a conversation'),
        succeeded: z.int().describe('Reached'),
        failed: z.int().describe('Given up'),
      })
      .describe('What the contacts wait for'),
  })
  .meta({ id: 'Explanation', description: 'Why nothing is being dialled now' });
export type Explanation = z.output<typeof explanation>;
