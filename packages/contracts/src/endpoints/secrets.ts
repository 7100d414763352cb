import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

/** The services that store secrets, encrypted with `ENCRYPTION_KEYS`. */
export const SERVICES_WITH_SECRETS = ['gateway', 'assistants', 'telephony'] as const;
export type ServiceWithSecrets = (typeof SERVICES_WITH_SECRETS)[number];

const route = { access: 'internal', tag: 'Internal', envelope: 'data', status: 200, errors: [] } as const;

/** A batch of stored secrets. */
const reencryptedBatch = z.object({
  /** The first of `ENCRYPTION_KEYS` of the responding process. */
  key_id: z.string(),
  /** Secrets that were re-encrypted with that key. */
  reencrypted: z.int(),
  /** Secrets that changed concurrently, which re-encrypts them as well; another run verifies it. */
  missed: z.int(),
  /** Secrets that cannot be decrypted: location and reason, never the content. */
  failed: z.array(z.object({ table: z.string(), column: z.string(), id: z.string(), reason: z.string() })),
  /** Start of the next batch; null at the end. */
  next_cursor: z.string().nullable(),
});
export type ReencryptedBatch = z.output<typeof reencryptedBatch>;

/** Every service of `SERVICES_WITH_SECRETS` has these routes. */
export const reencryptSecretsOf = (service: ServiceWithSecrets) =>
  defineEndpoint({
    ...route,
    service,
    id: 'reencryptSecrets',
    method: 'POST',
    path: '/internal/secrets/reencrypt',
    body: z.object({ cursor: z.string().max(500).nullable() }),
    response: reencryptedBatch,
    errors: ['VALIDATION_FAILED'],
    summary: 'Re-encrypt the next batch of secrets with the first key (any workspace)',
  });

const secretCount = z.object({
  table: z.string(),
  column: z.string(),
  key_id: z.string(),
  count: z.int(),
  /** Whether it is the first key of the responding process. */
  is_current: z.boolean(),
});
export type SecretCount = z.output<typeof secretCount>;

export const countSecretsOf = (service: ServiceWithSecrets) =>
  defineEndpoint({
    ...route,
    service,
    id: 'countSecrets',
    method: 'GET',
    path: '/internal/secrets',
    response: z.array(secretCount),
    summary: 'Number of secrets by encryption key (any workspace)',
  });
