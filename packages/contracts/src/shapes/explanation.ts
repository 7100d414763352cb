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
  state: z.enum(['closed', 'open', 'probing']),
  failures_in_a_row: z.int(),
  last_failed_at: isoMillis.nullable(),
  opened_at: isoMillis.nullable(),
  openings: z.int().describe('Pauses in a row; each is twice as long as the one before, up to a limit'),
  next_probe_at: isoMillis.nullable(),
});

export type NumberCircuit = z.output<typeof circuit>;

/** D7.7. What telephony tells is null while it can't be asked, and of a number that is gone. */
export const explanation = z.object({
  campaign_id: uuid,
  at: isoMillis,
  state: campaignStatus,
  reasons: z
    .array(z.object({ code: obstacle, message: z.string() }))
    .describe('For people, what weighs most first; programs branch on `code`'),
  hours: z.object({
    is_open: z.boolean(),
    tz: z.string().nullable().describe('Null: always open'),
    next_opening_at: isoMillis.nullable().describe('Null while open, and where none is in sight'),
    next_closing_at: isoMillis.nullable(),
  }),
  pace: z.object({ max_cps: z.number(), next_slot_at: isoMillis, waiting: z.int() }).nullable(),
  concurrency: z.object({ live: z.int(), most: z.int().nullable() }).nullable(),
  carrier: z
    .object({
      is_number_active: z.boolean(),
      call_workers: z.int().describe('Processes that dial and carry calls'),
      last_failed_at: isoMillis.nullable(),
    })
    .nullable(),
  circuit: circuit.nullable(),
  contacts: z.object({
    total: z.int(),
    pending: z.int().describe('Not tried yet'),
    retry_due: z.int(),
    retry_later: z.int(),
    next_retry_at: isoMillis.nullable(),
    requested: z.int().describe('Handed to telephony, which has not dialled them yet'),
    dialing: z.int(),
    in_progress: z.int(),
    succeeded: z.int(),
    failed: z.int(),
  }),
});
export type Explanation = z.output<typeof explanation>;
