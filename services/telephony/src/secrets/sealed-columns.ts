import type { SealedColumn } from '@parley/kit/secrets';
import { snapshotPlace } from '../assistants/snapshot-archive.store.ts';
import { secretsPlace } from '../numbers/trunk-of.ts';
import { addressesPlace } from '../trunks/termination.ts';

/** All sealed columns. */
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
  {
    table: 'terminations',
    column: 'addresses',
    key: [{ name: 'id', type: 'uuid' }],
    place: addressesPlace,
  },
];
