import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { apiKey, newKey, offsetPage } from '../shapes/dashboard.ts';
import { idParams, isoInput } from '../shapes/primitives.ts';

const route = { service: 'gateway', access: 'session', tag: 'Dashboard', envelope: 'data' } as const;

export const listKeys = defineEndpoint({
  ...route,
  role: 'viewer',
  id: 'listKeys',
  method: 'GET',
  path: '/dashboard/api/keys',
  query: offsetPage,
  status: 200,
  envelope: 'list',
  response: apiKey,
  errors: ['FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  summary: "The picked workspace's keys, masked, newest first",
  description:
    'The revoked and expired ones too. Keys themselves are shown when they are made, and never again. `next_cursor` is the next ' +
    'offset; an offset past the end gives an empty list.',
});

export const createKey = defineEndpoint({
  ...route,
  role: 'admin',
  id: 'createKey',
  method: 'POST',
  path: '/dashboard/api/keys',
  body: newKey.extend({
    expires_at: isoInput.nullable().default(null).describe('In the future; null: never'),
  }),
  example: { name: 'Billing', type: 'private', expires_at: '2030-01-01T00:00:00Z' },
  status: 201,
  response: apiKey.extend({ key: z.string().describe('Shown once') }),
  errors: ['FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  idempotent: true,
  summary: 'Create a key',
  description: 'Takes an admin or an owner, since a private key acts as the owner of its workspace.',
});

export const revokeKey = defineEndpoint({
  ...route,
  role: 'admin',
  id: 'revokeKey',
  method: 'POST',
  path: '/dashboard/api/keys/:id/revoke',
  params: idParams,
  status: 200,
  response: apiKey,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  summary: 'Revoke a key',
  description: 'It is refused on every replica within a second. Revoking twice changes nothing.',
});
