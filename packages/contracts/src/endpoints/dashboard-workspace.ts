import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { isoMillis, timeZone } from '../shapes/primitives.ts';
import {
  allowedDestinations,
  dailySpendLimit,
  retentionSettings,
  workspaceName,
  workspaceSettings,
} from '../shapes/workspace-settings.ts';

const route = {
  service: 'gateway',
  access: 'session',
  tag: 'Dashboard',
  envelope: 'data',
  path: '/dashboard/api/workspace',
  status: 200,
  response: workspaceSettings,
} as const;

export const getWorkspace = defineEndpoint({
  ...route,
  role: 'viewer',
  id: 'getWorkspace',
  method: 'GET',
  errors: ['FORBIDDEN', 'CONFLICT'],
  summary: 'Get the settings and limits of the selected workspace',
  description:
    'Available to all members. An admin can change the name and the time zone, an owner also the rest; prices and limits only the operator.',
});

export const updateWorkspace = defineEndpoint({
  ...route,
  role: 'admin',
  id: 'updateWorkspace',
  method: 'PATCH',
  body: z.object({
    name: workspaceName.optional(),
    time_zone: timeZone.optional(),
    allowed_destinations: allowedDestinations.optional(),
    daily_spend_limit_cents: dailySpendLimit.optional(),
    ...retentionSettings.partial().shape,
  }),
  example: { allowed_destinations: ['+49', '+43'], daily_spend_limit_cents: 5000 },
  errors: ['FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  summary: 'Update the settings of the selected workspace',
  description:
    'The name and the time zone require the `admin` role, all other fields the `owner` role; missing fields stay unchanged. Takes effect within two seconds for new calls, ' +
    'transfers and text messages; calls in progress continue. Data older than `retain_…_days` is permanently ' +
    'removed in the background. Changes are recorded in the audit log.',
});

export const rotateWebhookSecret = defineEndpoint({
  service: 'gateway',
  access: 'session',
  tag: 'Dashboard',
  envelope: 'data',
  role: 'admin',
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/dashboard/api/workspace/webhook-secret',
  status: 201,
  response: z.object({
    webhook_secret: z.string().describe('The new secret, `whsec_…`; returned only once'),
    old_secret_expires_at: isoMillis.describe('Until then the former secret also signs'),
  }),
  errors: ['FORBIDDEN', 'CONFLICT'],
  idempotent: true,
  summary: 'Rotate the webhook secret of the selected workspace',
  description:
    'Requires the `admin` or `owner` role. Events and requests of tools are signed with the new secret and, for 24 ' +
    'hours, with the former one as well. A further rotation within that time ends the oldest one at once. Takes effect ' +
    'within seconds. Assistants and tools with a secret of their own are not affected. Recorded in the audit log.',
});
