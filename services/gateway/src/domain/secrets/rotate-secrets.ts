import type { ReencryptedBatch, SecretKeeperName } from '@parley/contracts';
import type { SecretKeeper } from './ports.ts';
import { walkSecrets } from './walk-secrets.ts';

export type Rotated = { key_id: string; reencrypted: number; remaining: number; failed: number };

/** What is told while it goes on: how far a service is, and what it can't open. */
export type Report = {
  progress(service: SecretKeeperName, reencrypted: number): void;
  done(service: SecretKeeperName, rotated: Rotated): void;
  failed(service: SecretKeeperName, failure: ReencryptedBatch['failed'][number]): void;
};

/**
 * `parley secrets reencrypt`: every secret of every service under that service's first key. May be stopped and run again
 * at any time. `remaining` is counted afterwards: what is still under another key.
 */
export async function reencryptSecrets(keepers: readonly SecretKeeper[], report: Report) {
  const services: Partial<Record<SecretKeeperName, Rotated>> = {};
  const total = { reencrypted: 0, remaining: 0, failed: 0 };
  for (const keeper of keepers) {
    const { keyId, reencrypted, failed } = await walkSecrets(keeper, (count) =>
      report.progress(keeper.name, count),
    );
    for (const failure of failed) report.failed(keeper.name, failure);
    const counts = await keeper.count();
    const remaining = counts.reduce((sum, { count, is_current }) => sum + (is_current ? 0 : count), 0);
    const rotated = { key_id: keyId, reencrypted, remaining, failed: failed.length };
    services[keeper.name] = rotated;
    report.done(keeper.name, rotated);
    total.reencrypted += reencrypted;
    total.remaining += remaining;
    total.failed += failed.length;
  }
  return { ...total, services };
}

/** `parley secrets status`: a key that no secret is under any more may go from `ENCRYPTION_KEYS`. */
export async function countSecrets(keepers: readonly SecretKeeper[]) {
  const keys: Record<string, number> = {};
  const services: Partial<
    Record<SecretKeeperName, { table: string; column: string; key_id: string; count: number }[]>
  > = {};
  let remaining = 0;
  for (const keeper of keepers) {
    const counts = await keeper.count();
    services[keeper.name] = counts.map(({ is_current: _, ...place }) => place);
    for (const { key_id, count, is_current } of counts) {
      keys[key_id] = (keys[key_id] ?? 0) + count;
      if (!is_current) remaining += count;
    }
  }
  return { keys, remaining, services };
}
