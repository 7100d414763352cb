import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { timeZone } from '../shapes/primitives.ts';
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
