import type { SealedColumn } from '@parley/kit/secrets';
import { webhookSecretPlace as place } from './workspaces.ts';

const WORKSPACES = { table: 'workspaces', key: [{ name: 'id', type: 'uuid' }] } as const;

/** Everything that is stored sealed. A rotated webhook secret moves to the second column, so that one comes second. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { ...WORKSPACES, column: 'webhook_secret', place },
  { ...WORKSPACES, column: 'old_webhook_secret', place },
];
