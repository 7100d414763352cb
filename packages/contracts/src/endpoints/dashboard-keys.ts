import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { apiKey, changedKey, newKey } from '../shapes/dashboard.ts';
import { idParams, isoInput, offsetPage } from '../shapes/primitives.ts';

const route = { service: 'gateway', access: 'session', tag: 'Dashboard', envelope: 'data' } as const;

export const listKeys = defineEndpoint({
  ...route,
  role: 'viewer',
  id: 'listKeys',
  method: 'GET',
  path: '/dashboard/api/keys',
  query: z.object(offsetPage()),
  status: 200,
  envelope: 'list',
  response: apiKey,
  errors: ['FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  summary: 'List the API keys of the selected workspace, newest first',
  description:
    'Includes revoked and expired keys. The keys themselves are only returned on creation. `next_cursor` is the ' +
    'next offset; an offset past the end returns an empty list.',
});

export const getKey = defineEndpoint({
  ...route,
  role: 'viewer',
  id: 'getKey',
  method: 'GET',
  path: '/dashboard/api/keys/:id',
  params: idParams,
  status: 200,
  response: apiKey,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  summary: 'Get an API key of the selected workspace',
  description: 'Also of a revoked or expired key. The key itself is only returned on creation.',
});

export const createKey = defineEndpoint({
  ...route,
  role: 'admin',
  id: 'createKey',
  method: 'POST',
  path: '/dashboard/api/keys',
  body: newKey.extend({
    expires_at: isoInput.nullable().default(null).describe('Future expiry time; null: never'),
  }),
  example: {
    name: 'Shop',
    type: 'public',
    allowed_origins: ['https://shop.example.com'],
    agent_ids: ['0197f3b2-5c1e-7d40-9a3b-2f6f1c0d8e11'],
    max_live_calls: 5,
  },
  status: 201,
  response: apiKey.extend({ key: z.string().describe('The key itself; returned only once') }),
  errors: ['FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  idempotent: true,
  summary: 'Create an API key',
  description:
    'Requires the `admin` or `owner` role, because an unrestricted private key has the permissions of an owner. ' +
    'Settings of the other key type, and assistants of other workspaces, are `VALIDATION_FAILED`.',
});

export const changeKey = defineEndpoint({
  ...route,
  role: 'admin',
  id: 'changeKey',
  method: 'PATCH',
  path: '/dashboard/api/keys/:id',
  params: idParams,
  body: changedKey,
  example: { calls_per_minute: 30, variables: ['contact_name'] },
  status: 200,
  response: apiKey,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  summary: 'Update the name and settings of an API key',
  description:
    'Missing fields stay unchanged; null resets a setting to its default. Takes effect on every replica within a ' +
    'second, for new requests and new calls. `CONFLICT` if the key is revoked.',
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
  summary: 'Revoke an API key',
  description: 'The key is rejected on every replica within a second. Revoking twice has no effect.',
});
