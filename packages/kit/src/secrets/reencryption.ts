import type { ReencryptedBatch, SecretCount } from '@parley/contracts';
import type { SqlClient } from '../db/index.ts';
import { validationFailed } from '../errors/index.ts';
import { isUuid } from '../ids/index.ts';
import { countByKey, type NewHead, readHeads, type SealedColumn, swapHeads } from './sealed-column.ts';
import type { SecretBox } from './secret-box.ts';
import { SecretError } from './secret-error.ts';

export type { SealedColumn } from './sealed-column.ts';

/** The operations behind the operator's `parley secrets`. */
export type Reencryption = {
  /** Rewraps the next batch with the first key; `cursor` is null at the beginning, then the last `next_cursor`. */
  batch(cursor: string | null): Promise<ReencryptedBatch>;
  count(): Promise<SecretCount[]>;
};

export type ReencryptionOptions = {
  sql: SqlClient;
  box: Pick<SecretBox, 'currentKeyId' | 'rewrapHead'>;
  columns: readonly SealedColumn[];
};

/** Rows of a batch. Rewrapping a hundred blocks the process for about ten milliseconds. */
const BATCH_ROWS = 100;

type Position = { column: number; after: string[] | null };

/**
 * Rotates encryption keys in batches: walks the columns by primary key and rewraps the data keys that are not wrapped by the first key.
 * It has no state between batches, so a walk can be abandoned and restarted at any time. Ciphertexts do not change.
 */
export function createReencryption({ sql, box, columns }: ReencryptionOptions): Reencryption {
  return {
    batch: async (cursor) => {
      const position = readCursor(cursor);
      const column = columns[position.column];
      if (!column || !isKeyOf(column, position.after)) throw badCursor();
      const rows = await readHeads(sql, column, { after: position.after, limit: BATCH_ROWS });
      const heads: NewHead[] = [];
      const failed: ReencryptedBatch['failed'] = [];
      for (const { key, head } of rows) {
        if (head === null || isCurrent(head)) continue;
        try {
          heads.push({ key, from: head, to: box.rewrapHead(head, column.place(...key)) });
        } catch (err) {
          if (!(err instanceof SecretError)) throw err;
          failed.push({ table: column.table, column: column.column, id: key.join(' '), reason: err.message });
        }
      }
      const reencrypted = await swapHeads(sql, column, heads);
      return {
        key_id: box.currentKeyId,
        reencrypted,
        missed: heads.length - reencrypted,
        failed,
        next_cursor: nextCursor(position, rows.length === BATCH_ROWS ? rows.at(-1)?.key : undefined),
      };
    },

    count: async () => {
      const counts: SecretCount[] = [];
      for (const column of columns) {
        for (const { key_id, count } of await countByKey(sql, column)) {
          const is_current = key_id === box.currentKeyId;
          counts.push({ table: column.table, column: column.column, key_id, count, is_current });
        }
      }
      return counts;
    },
  };

  function isCurrent(head: string): boolean {
    return head.split('.')[1] === box.currentKeyId;
  }

  function nextCursor({ column }: Position, after: string[] | undefined): string | null {
    if (after) return `${column}:${after.join(':')}`;
    return column + 1 < columns.length ? `${column + 1}` : null;
  }
}

/** `<column>` at the beginning of a column, `<column>:<key>` after a row. */
function readCursor(cursor: string | null): Position {
  const [column = '', ...after] = (cursor ?? '0').split(':');
  if (!/^\d{1,3}$/.test(column)) throw badCursor();
  return { column: Number(column), after: after.length > 0 ? after : null };
}

function isKeyOf({ key }: SealedColumn, after: string[] | null): boolean {
  const fits = (value: string, i: number): boolean =>
    key[i]?.type === 'uuid' ? isUuid(value) : /^\d{1,9}$/.test(value);
  return after === null || (after.length === key.length && after.every(fits));
}

function badCursor(): Error {
  return validationFailed([{ path: 'cursor', code: 'invalid_format', message: 'cursor is not valid' }]);
}
