import type { SealedColumn } from '@parley/kit/secrets';
import { secretsPlace } from '../domain/numbers/add-number.ts';
import { snapshotPlace } from './snapshot-archive.ts';

/** Everything that is stored sealed. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'phone_numbers',
    column: 'secrets',
    key: [{ name: 'id', type: 'uuid' }],
    place: secretsPlace,
  },
  {
    table: 'agent_snapshots',
    column: 'sealed',
    key: [
      { name: 'agent_id', type: 'uuid' },
      { name: 'version', type: 'integer' },
    ],
    place: snapshotPlace,
  },
];
