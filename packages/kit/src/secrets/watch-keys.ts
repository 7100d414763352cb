import { channel } from 'node:diagnostics_channel';
import { createJobLoop } from '../concurrency/index.ts';
import type { SqlClient } from '../db/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';
import { countByKey, type SealedColumn, sampleOfKey } from './sealed-column.ts';
import { KEY_ID } from './sealed-text.ts';
import { createSecretBox, type EncryptionKey, type SecretBox } from './secret-box.ts';

export type WatchKeysOptions = {
  sql: SqlClient;
  /** `ENCRYPTION_KEYS` of the process. */
  keys: readonly EncryptionKey[];
  columns: readonly SealedColumn[];
  log: Log;
  lifecycle: Lifecycle;
};

/** `npm start` shows these messages to the user. */
const ATTENTION = channel('parley:attention');
const EVERY_MS = 24 * 3_600_000;
/** A key that decrypts none of these samples is a different key with the same id. */
const SAMPLE = 3;

/**
 * Logs at the start and every day how many stored secrets no key of `ENCRYPTION_KEYS` can decrypt, before a call or webhook needs one.
 */
export function watchKeys({ sql, keys, columns, log, lifecycle }: WatchKeysOptions): void {
  const ids = new Set(keys.map(({ id }) => id));
  const box = createSecretBox(keys);
  createJobLoop({
    name: 'encryption keys',
    everyMs: EVERY_MS,
    run: async () => {
      const unopened = new Map<string, number>();
      for (const column of columns) {
        for (const { key_id, count } of await countByKey(sql, column)) {
          if (ids.has(key_id) && (await opensAny(sql, box, column, key_id))) continue;
          // The value may not be sealed text: don't log any of it.
          const keyId = KEY_ID.test(key_id) ? key_id : 'unreadable';
          unopened.set(keyId, (unopened.get(keyId) ?? 0) + count);
        }
      }
      if (unopened.size > 0) report(log, unopened);
      return false;
    },
    log,
    lifecycle,
  });
}

async function opensAny(
  sql: SqlClient,
  box: Pick<SecretBox, 'rewrapHead'>,
  column: SealedColumn,
  keyId: string,
): Promise<boolean> {
  const sample = await sampleOfKey(sql, column, { keyId, limit: SAMPLE });
  const opens = ({ key, head }: (typeof sample)[number]): boolean => {
    try {
      return box.rewrapHead(head, column.place(...key)) !== '';
    } catch {
      return false;
    }
  };
  return sample.length === 0 || sample.some(opens);
}

function report(log: Log, unopened: ReadonlyMap<string, number>): void {
  const missing = [...unopened].map(([keyId, count]) => ({ keyId, count }));
  log.error({ missing }, 'stored secrets need encryption keys that are not configured');
  const list = missing.map(
    ({ keyId, count }) => `${keyId} (${count} stored ${count === 1 ? 'secret' : 'secrets'})`,
  );
  ATTENTION.publish(
    `ENCRYPTION_KEYS lacks the keys of stored secrets, which cannot be used: ${list.join(', ')}`,
  );
}
