import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import {
  allowedDestinations,
  dailySpendLimit,
  retentionSettings,
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
  description: 'Available to all members. Only an owner or the operator can change them.',
});

export const updateWorkspace = defineEndpoint({
  ...route,
  role: 'owner',
  id: 'updateWorkspace',
  method: 'PATCH',
  body: z.object({
    allowed_destinations: allowedDestinations.optional(),
    daily_spend_limit_cents: dailySpendLimit.optional(),
    ...retentionSettings.partial().shape,
  }),
  example: { allowed_destinations: ['+49', '+43'], daily_spend_limit_cents: 5000 },
  errors: ['FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  summary: 'Update the destinations, spend limit and retention of the selected workspace',
  description:
    'Requires the `owner` role; missing fields stay unchanged. Takes effect within two seconds for new calls, ' +
    'transfers and text messages; calls in progress continue. Data older than `retain_…_days` is permanently ' +
    'removed in the background. Changes are recorded in the audit log.',
});
