import { channel } from 'node:diagnostics_channel';
import type { Sql } from '../db/index.ts';
import { createLoop } from '../jobs/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';
import { countByKey, type SealedColumn, sampleOfKey } from './sealed-column.ts';
import { KEY_ID } from './sealed-text.ts';
import { createSecretBox, type EncryptionKey, type SecretBox } from './secret-box.ts';

export type WatchKeysOptions = {
  sql: Sql;
  /** `ENCRYPTION_KEYS` of the process. */
  keys: readonly EncryptionKey[];
  columns: readonly SealedColumn[];
  log: Log;
  lifecycle: Lifecycle;
};

/** Where `npm start` hears of what a person should see at once. */
const ATTENTION = channel('parley:attention');
const EVERY_MS = 24 * 3_600_000;
/** Some may be broken by themselves; a key that opens none of these is another one of the same name. */
const SAMPLE = 3;

/**
 * Says at the start, and each day, how many stored secrets no key of `ENCRYPTION_KEYS` opens: else nobody would know
 * before a call or a webhook needs one. Nothing waits for it.
 */
export function watchKeys({ sql, keys, columns, log, lifecycle }: WatchKeysOptions): void {
  const ids = new Set(keys.map(({ id }) => id));
  const box = createSecretBox(keys);
  createLoop({
    name: 'encryption keys',
    everyMs: EVERY_MS,
    run: async () => {
      const unopened = new Map<string, number>();
      for (const column of columns) {
        for (const { key_id, count } of await countByKey(sql, column)) {
          if (ids.has(key_id) && (await opensAny(sql, box, column, key_id))) continue;
          // What stands there may be no sealed text at all: then nothing of it is told.
          const keyId = KEY_ID.test(key_id) ? key_id : 'unreadable';
          unopened.set(keyId, (unopened.get(keyId) ?? 0) + count);
        }
      }
      if (unopened.size > 0) tell(log, unopened);
      return false;
    },
    log,
    lifecycle,
  });
}

async function opensAny(
  sql: Sql,
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

function tell(log: Log, unopened: ReadonlyMap<string, number>): void {
  const missing = [...unopened].map(([keyId, count]) => ({ keyId, count }));
  log.error({ missing }, 'stored secrets need encryption keys that are not configured');
  const told = missing.map(
    ({ keyId, count }) => `${keyId} (${count} stored ${count === 1 ? 'secret' : 'secrets'})`,
  );
  ATTENTION.publish(
    `ENCRYPTION_KEYS lacks the key that sealed these, which can't be used without it: ${told.join(', ')}`,
  );
}
