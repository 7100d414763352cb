import { z } from 'zod';
import { isoMillis, OPEN_ENUM, uuid } from './primitives.ts';

/** What a change may concern. Values may be added. */
export const CHANGED_TYPES = [
  'call',
  'campaign',
  'delivery',
  'assistant',
  'phone_number',
  'workspace',
  'attention',
  'do_not_call',
  'audit_log',
] as const;
export type ChangedType = (typeof CHANGED_TYPES)[number];

export const dashboardChange = z
  .object({
    type: z
      .enum(CHANGED_TYPES)
      .meta(OPEN_ENUM)
      .describe(
        '`delivery`: an event sent to a webhook; `workspace`: keys, members or settings; `attention`: the list of ' +
          'what needs attention; `do_not_call`: the do-not-call list; `audit_log`: it has new entries. Values may be added',
      ),
    id: uuid.describe(
      'Id of the resource; of the webhook event for `delivery`, of the workspace for `attention`, `do_not_call` and ' +
        '`audit_log`',
    ),
    what: z
      .string()
      .describe(
        'What happened, such as `started`, `ended` or `analyzed` of a call, `delivered` of a delivery, or only ' +
          '`changed`. Values may be added',
      ),
    at: isoMillis.describe('Time of the change'),
    call_id: uuid.optional().describe('Call of a `delivery`'),
    campaign_id: uuid.optional().describe('Campaign of a `call`'),
  })
  .meta({ id: 'DashboardChange', description: 'A change in the workspace, without its content' });
export type DashboardChange = z.output<typeof dashboardChange>;

/** The most changes that one event names. */
export const MAX_CHANGES_PER_EVENT = 100;

/** `data` of the server-sent event `changes`. */
export const dashboardChanges = z.object({
  changes: z
    .array(dashboardChange)
    .max(MAX_CHANGES_PER_EVENT)
    .describe('The newest change of each resource since the previous event'),
  more: z.array(z.enum(CHANGED_TYPES)).describe('Types of which more changed than are listed'),
});
export type DashboardChanges = z.output<typeof dashboardChanges>;

/** Why the server closes a stream for good: `data` of the server-sent event `end`. */
export const dashboardEnd = z.object({
  reason: z
    .enum(['session_ended', 'workspace_changed', 'role_changed', 'not_allowed', 'replaced', 'slow'])
    .describe(
      '`not_allowed`: the workspace is suspended, or requires another way to sign in; `replaced`: the person has ' +
        'opened more streams; `slow`: the page does not read',
    ),
});
export type DashboardEnd = z.output<typeof dashboardEnd>;
