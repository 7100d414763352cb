import { z } from 'zod';
import { CALL_TYPES, callNumbers, callType, DISCONNECTION_REASONS } from './call.ts';
import { isoMillis, uuid } from './primitives.ts';

export const GROUPINGS = ['none', 'hour', 'day', 'assistant', 'number', 'campaign', 'outcome'] as const;
/** What the buckets of call analytics are [analytics.3]. */
export const grouping = z.enum(GROUPINGS);
export type Grouping = z.output<typeof grouping>;

const count = (what: string) => z.int().min(0).describe(what);
const share = (what: string) => z.number().min(0).max(1).nullable().describe(`${what}; null without calls`);
const countsOf = <const Names extends readonly string[]>(names: Names, what: string) =>
  z
    .object(Object.fromEntries(names.map((name) => [name, count(`\`${name}\``)])) as Counts<Names>)
    .describe(what);
type Counts<Names extends readonly string[]> = Record<Names[number], ReturnType<typeof count>>;

const latency = z.object({
  turns: count('Answers by voice whose latency was recorded'),
  average_ms: z.number().describe('Mean'),
  p50_ms: z.number().describe('Median, within 10 percent between 0.1 and 9.5 seconds'),
  p95_ms: z.number().describe('95th percentile, with the same precision'),
});

/** Figures of completed calls [analytics.1]. */
const figures = {
  calls: count('Completed calls'),
  by_type: countsOf(CALL_TYPES, 'Completed calls by type'),
  answered: count('Calls that were answered'),
  answer_rate: share('Share of the calls that were answered'),
  successful: count('Calls in which the human was reached, or whose message was left on a voicemail'),
  success_rate: share('Share of the calls that were successful'),
  duration_seconds: count('Talk time in seconds'),
  minutes: z.number().min(0).describe('Talk time in minutes, to two decimals'),
  average_duration_seconds: z
    .number()
    .min(0)
    .nullable()
    .describe('Mean talk time of an answered call; null without answered calls'),
  cost: count('Cost in cents of `currency`'),
  outcomes: countsOf(DISCONNECTION_REASONS, 'Calls by disconnection reason'),
  latency: latency
    .nullable()
    .describe(
      "Milliseconds from the end of the human's speech to the first sound of the answer (`first_audio_ms` of a turn); null " +
        'if none was recorded',
    ),
};

export const callFigures = z.object(figures).meta({ id: 'CallFigures', description: 'Figures of calls' });
export type CallFigures = z.output<typeof callFigures>;

const bucket = z
  .object({
    key: z
      .string()
      .nullable()
      .describe(
        'By `group_by`: the day (`2026-03-14`), the start of the hour, the id of the assistant, the phone number or the ' +
          'campaign (null for calls without any), or the disconnection reason',
      ),
    label: z
      .string()
      .nullable()
      .describe(
        'Name of the assistant or E.164 of the phone number; null if it was deleted, and for other groupings',
      ),
    from: isoMillis.nullable().describe('Start of the day or hour; null for other groupings'),
    to: isoMillis.nullable().describe('End of the day or hour, exclusive; null for other groupings'),
    ...figures,
  })
  .meta({ id: 'CallAnalyticsBucket', description: 'Figures of the calls of a day, an hour or a resource' });

export const callAnalytics = z
  .object({
    from: isoMillis.describe('Start of the range'),
    to: isoMillis.describe('End of the range, exclusive'),
    time_zone: z.string().describe('IANA time zone of days and hours'),
    currency: z.string().describe('ISO 4217 code of all costs'),
    group_by: grouping.describe('As requested'),
    totals: callFigures.describe('Figures of all calls of the range'),
    buckets: z
      .array(bucket)
      .describe(
        'Days and hours: each of the range, in order, also without calls. Assistants, numbers, campaigns and outcomes: those ' +
          'with calls, by the number of calls. Empty for `none`',
      ),
    omitted_buckets: count('Assistants, numbers or campaigns beyond `limit`'),
  })
  .meta({ id: 'CallAnalytics', description: 'Figures of the calls of a range, in total and by bucket' });

/** A row of a table or chart of calls [analytics.14]. */
export const callAnalyticsRow = z
  .object({
    key: bucket.shape.key,
    calls: figures.calls,
    answered: figures.answered,
    minutes: figures.minutes,
    cost: count("Cost in cents of the workspace's currency"),
    average_duration: figures.average_duration_seconds.describe(
      'Mean talk time of an answered call in seconds; null without answered calls',
    ),
    p95_first_audio_ms: z
      .number()
      .nullable()
      .describe(
        "95th percentile of the milliseconds from the end of the human's speech to the first sound of the answer; null if " +
          'none was recorded',
      ),
  })
  .meta({
    id: 'CallAnalyticsRow',
    description: 'Figures of the calls of a day, an hour, a resource or an outcome',
  });

/** A call that has not ended [analytics.7]. */
export const liveCall = z
  .object({
    id: uuid.describe('Id of the call'),
    agent_id: uuid.describe('Assistant; all zeros while an inbound call has none'),
    agent_name: z.string().nullable().describe('Name of the assistant; null if it was deleted'),
    call_type: callType.describe('Type of the call'),
    phone_number_id: uuid.nullable().describe("The workspace's phone number; null for web calls"),
    ...callNumbers,
    campaign_id: uuid.nullable().describe('The campaign; null for other calls'),
    status: z.enum(['queued', 'ringing', 'in-progress']).describe('State'),
    created_at: isoMillis.describe('Time of creation'),
    started_at: isoMillis
      .nullable()
      .describe('Time at which dialing started or the inbound call arrived; null before'),
    answered_at: isoMillis.nullable().describe('Time of the answer; null before'),
    duration: z.int().min(0).nullable().describe('Seconds since the answer; null before'),
  })
  .meta({ id: 'LiveCall', description: 'A call that has not ended' });

export const concurrency = z
  .object({
    live: count('Calls that have not ended'),
    limit: count('Maximum number of concurrent calls of the workspace'),
    by_status: z
      .object({
        queued: count('Waiting to be dialed'),
        ringing: count('Ringing'),
        'in-progress': count('In conversation'),
      })
      .describe('Live calls by status'),
  })
  .meta({ id: 'Concurrency', description: 'Concurrent calls of the workspace' });
