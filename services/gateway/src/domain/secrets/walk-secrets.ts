import type { ReencryptedBatch } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import { monotonicMs, realSleep } from '@parley/kit/time';
import type { SecretKeeper } from './ports.ts';

export type Walked = { keyId: string; reencrypted: number; failed: ReencryptedBatch['failed'] };

/** Secrets that are just being changed are looked at again, this often and after this pause. */
const MOST_WALKS = 10;
const PAUSE_MS = 300;

/** Has one service wrap all of its secrets anew, batch by batch; `onBatch` hears how many that were so far. */
export async function walkSecrets(
  keeper: SecretKeeper,
  onBatch: (reencrypted: number) => void,
): Promise<Walked> {
  let reencrypted = 0;
  for (let walk = 1; ; walk += 1) {
    const { missed, ...walked } = await walkOnce(keeper, (count) => {
      reencrypted += count;
      onBatch(reencrypted);
    });
    if (missed === 0 || walk === MOST_WALKS) return { ...walked, reencrypted };
    await realSleep(PAUSE_MS);
  }
}

async function walkOnce(keeper: SecretKeeper, onBatch: (reencrypted: number) => void) {
  const failed: ReencryptedBatch['failed'] = [];
  let missed = 0;
  let keyId: string | undefined;
  for (let cursor: string | null = null; ; ) {
    const beganMs = monotonicMs();
    const batch: ReencryptedBatch = await keeper.reencrypt(cursor);
    const tookMs = monotonicMs() - beganMs;
    // Else they would wrap each other's secrets back and forth.
    if (batch.key_id !== (keyId ?? batch.key_id)) throw differentKeys(keeper.name);
    keyId = batch.key_id;
    missed += batch.missed;
    failed.push(...batch.failed);
    onBatch(batch.reencrypted);
    if (batch.next_cursor === null) return { keyId, missed, failed };
    cursor = batch.next_cursor;
    // At least half of the time is left to those who wait for this service.
    await realSleep(tookMs);
  }
}

function differentKeys(name: string): AppError {
  return new AppError(
    'CONFLICT',
    `The processes of ${name} run with different first keys. Restart them all with the same ENCRYPTION_KEYS, then run this again.`,
  );
}
