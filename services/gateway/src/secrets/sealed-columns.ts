import type { SealedColumn } from '@parley/kit/secrets';
import { numberPlace } from '../removals/removal-jobs.store.ts';
import { totpSecretPlace } from '../sign-in/second-factors.store.ts';
import { webhookSecretPlace as place } from '../workspaces/workspaces.store.ts';

const WORKSPACES = { table: 'workspaces', key: [{ name: 'id', type: 'uuid' }] } as const;

/**
 * All sealed columns, in the order of reencryption. A rotation of a webhook secret moves it to `old_webhook_secret`, which comes later, so
 * that a secret which is moved meanwhile is not missed.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { ...WORKSPACES, column: 'webhook_secret', place },
  { ...WORKSPACES, column: 'old_webhook_secret', place },
  {
    table: 'totp_factors',
    key: [{ name: 'person_id', type: 'uuid' }],
    column: 'secret',
    place: totpSecretPlace,
  },
  {
    table: 'removal_jobs',
    key: [{ name: 'id', type: 'uuid' }],
    column: 'sealed_number',
    place: numberPlace,
  },
];
