import { z } from 'zod';
import { isoMillis, uuid } from './primitives.ts';

/** Prefix of E.164 numbers [trust.22]. */
const prefix = z
  .string()
  .regex(/^\+[1-9]\d{0,14}$/, { error: 'must be `+` and the first digits of an E.164 number, such as +49' });

export const allowedDestinations = z
  .array(prefix)
  .max(200)
  .describe('Prefixes of E.164 numbers that can be called or sent text messages; empty: all');

export const dailySpendLimit = z
  .int()
  .min(0)
  .max(1_000_000_000)
  .nullable()
  .describe(
    'Maximum cost of calls per day (UTC), in cents; the last quarter is not available to public keys; null: no limit',
  );

/** Retention in days [trust.21]. */
const days = (what: string) =>
  z.int().min(1).max(36_500).nullable().describe(`${what}; null: the operator's default`);

export const retentionSettings = z.object({
  retain_calls_days: days('Days for which calls and all their data are kept'),
  retain_recordings_days: days('Days for which the recording of a call is kept after its end'),
  retain_attempts_days: days(
    'Days for which webhook events and delivery attempts are kept, attempts for 400 at most',
  ),
  retain_contacts_days: days('Days for which the contacts of a campaign are kept after its end'),
});

export const workspaceName = z.string().trim().min(1).max(255).describe('Name');

export const workspaceSettings = z.object({
  workspace_id: uuid.describe('Id of the workspace'),
  name: z.string().describe('Name'),
  created_at: isoMillis.describe('Time of creation'),
  time_zone: z.string().describe('IANA time zone of its days, for analytics and the dashboard'),
  currency: z.string().describe('ISO 4217 code of all prices and costs, as configured by the operator'),
  suspended_at: isoMillis
    .nullable()
    .describe('Time of suspension by the operator; null if it is not suspended'),
  rate_cents: z.int().describe('Price per minute, in cents'),
  max_live_calls: z.int().describe('Maximum number of concurrent calls'),
  requests_per_minute: z.int().describe('Maximum requests per minute'),
  allowed_destinations: allowedDestinations,
  daily_spend_limit_cents: dailySpendLimit,
  ...retentionSettings.shape,
  old_webhook_secret_expires_at: isoMillis
    .nullable()
    .describe('Until then the previous webhook secret also signs; null: only the current one signs'),
});
