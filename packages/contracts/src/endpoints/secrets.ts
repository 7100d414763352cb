import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

/** The services that keep secrets, sealed with `ENCRYPTION_KEYS`. */
export const SECRET_KEEPERS = ['gateway', 'assistants', 'telephony'] as const;
export type SecretKeeperName = (typeof SECRET_KEEPERS)[number];

const route = { access: 'internal', tag: 'Internal', envelope: 'data', status: 200, errors: [] } as const;

/** A batch of the walk over all stored secrets. */
const reencryptedBatch = z.object({
  /** The first of `ENCRYPTION_KEYS` of the process that answered. */
  key_id: z.string(),
  /** Secrets that were under another key and are under this one now. */
  reencrypted: z.int(),
  /** Secrets that were being changed at that moment: whoever changes one seals it anew. Another walk finds out. */
  missed: z.int(),
  /** Secrets that can't be opened, by their place and the reason; never their content. */
  failed: z.array(z.object({ table: z.string(), column: z.string(), id: z.string(), reason: z.string() })),
  /** Where the next batch begins; null when all have been looked at. */
  next_cursor: z.string().nullable(),
});
export type ReencryptedBatch = z.output<typeof reencryptedBatch>;

/** Each keeper of secrets answers the same. */
export const reencryptSecretsOf = (service: SecretKeeperName) =>
  defineEndpoint({
    ...route,
    service,
    id: 'reencryptSecrets',
    method: 'POST',
    path: '/internal/secrets/reencrypt',
    body: z.object({ cursor: z.string().max(500).nullable() }),
    response: reencryptedBatch,
    errors: ['VALIDATION_FAILED'],
    summary: 'Wrap the next batch of secrets with the first key (any workspace)',
  });

const secretCount = z.object({
  table: z.string(),
  column: z.string(),
  key_id: z.string(),
  count: z.int(),
  /** Whether it is the first key of the process that answered. */
  is_current: z.boolean(),
});
export type SecretCount = z.output<typeof secretCount>;

export const countSecretsOf = (service: SecretKeeperName) =>
  defineEndpoint({
    ...route,
    service,
    id: 'countSecrets',
    method: 'GET',
    path: '/internal/secrets',
    response: z.array(secretCount),
    summary: 'How many secrets are stored under which key (any workspace)',
  });
