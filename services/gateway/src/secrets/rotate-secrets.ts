import type { ReencryptedBatch, SecretCount, ServiceWithSecrets } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import { monotonicMs, realSleep } from '@parley/kit/time';

/** The secrets of one service. */
export type SecretStore = {
  name: ServiceWithSecrets;
  reencrypt(cursor: string | null): Promise<ReencryptedBatch>;
  count(): Promise<SecretCount[]>;
};

type Rotated = { key_id: string; reencrypted: number; remaining: number; failed: number };

/** Receives the progress of each service, and the secrets that can't be decrypted. */
export type Report = {
  progress(service: ServiceWithSecrets, reencrypted: number): void;
  done(service: ServiceWithSecrets, rotated: Rotated): void;
  failed(service: ServiceWithSecrets, failure: ReencryptedBatch['failed'][number]): void;
};

/** Further walks for secrets that changed during the earlier ones, and the pause between them. */
const MAX_WALKS = 10;
const PAUSE_MS = 300;

/**
 * `parley secrets reencrypt`: rewraps every secret of every service with that service's first key. It can be interrupted
 * and repeated at any time. `remaining`: secrets under another key afterwards.
 */
export async function reencryptSecrets(stores: readonly SecretStore[], report: Report) {
  const services: Partial<Record<ServiceWithSecrets, Rotated>> = {};
  const total = { reencrypted: 0, remaining: 0, failed: 0 };
  for (const store of stores) {
    const { keyId, reencrypted, failed } = await walk(store, (count) => report.progress(store.name, count));
    for (const failure of failed) report.failed(store.name, failure);
    const counts = await store.count();
    const remaining = counts.reduce((sum, { count, is_current }) => sum + (is_current ? 0 : count), 0);
    const rotated = { key_id: keyId, reencrypted, remaining, failed: failed.length };
    services[store.name] = rotated;
    report.done(store.name, rotated);
    total.reencrypted += reencrypted;
    total.remaining += remaining;
    total.failed += failed.length;
  }
  return { ...total, services };
}

/** `parley secrets status`: a key without secrets may be removed from `ENCRYPTION_KEYS`. */
export async function countSecrets(stores: readonly SecretStore[]) {
  const keys: Record<string, number> = {};
  const services: Partial<
    Record<ServiceWithSecrets, { table: string; column: string; key_id: string; count: number }[]>
  > = {};
  let remaining = 0;
  for (const store of stores) {
    const counts = await store.count();
    services[store.name] = counts.map(({ is_current: _, ...place }) => place);
    for (const { key_id, count, is_current } of counts) {
      keys[key_id] = (keys[key_id] ?? 0) + count;
      if (!is_current) remaining += count;
    }
  }
  return { keys, remaining, services };
}

async function walk(store: SecretStore, onProgress: (reencrypted: number) => void) {
  let reencrypted = 0;
  for (let round = 1; ; round += 1) {
    const { missed, ...walked } = await walkOnce(store, (count) => {
      reencrypted += count;
      onProgress(reencrypted);
    });
    if (missed === 0 || round === MAX_WALKS) return { ...walked, reencrypted };
    await realSleep(PAUSE_MS);
  }
}

async function walkOnce(store: SecretStore, onBatch: (reencrypted: number) => void) {
  const failed: ReencryptedBatch['failed'] = [];
  let missed = 0;
  let keyId: string | undefined;
  for (let cursor: string | null = null; ; ) {
    const startedMs = monotonicMs();
    const batch: ReencryptedBatch = await store.reencrypt(cursor);
    const tookMs = monotonicMs() - startedMs;
    // Otherwise processes with different first keys would reencrypt each other's secrets forever.
    if (batch.key_id !== (keyId ?? batch.key_id)) throw differentKeys(store.name);
    keyId = batch.key_id;
    missed += batch.missed;
    failed.push(...batch.failed);
    onBatch(batch.reencrypted);
    if (batch.next_cursor === null) return { keyId, missed, failed };
    cursor = batch.next_cursor;
    // Leaves at least half of the service's time to other requests.
    await realSleep(tookMs);
  }
}

function differentKeys(name: string): AppError {
  return new AppError(
    'CONFLICT',
    `The processes of ${name} run with different first keys. Restart them all with the same ENCRYPTION_KEYS, then run this again.`,
  );
}
