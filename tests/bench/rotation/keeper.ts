import type { ReencryptedBatch, SecretCount } from '@parley/contracts';
import { type Actor, NO_WORKSPACE } from '@parley/kit/http';
import { monotonicMs, realSleep } from '@parley/kit/time';
import type { Ask } from '../assistants/service.ts';

export const SERVICE: Actor = { kind: 'service', id: 'operator' };

export type Keeper = {
  /** Re-encrypts every secret batch by batch, as the operator's command does, with pauses as long as the work. */
  rewrapAll(): Promise<{ reencrypted: number; failed: number }>;
  count(): Promise<SecretCount[]>;
};

/** The internal API of an assistants process. */
export function keeperOf(ask: Ask): Keeper {
  const data = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await ask(NO_WORKSPACE, method, path, body, SERVICE);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { data: T }).data;
  };
  const rewrapAll = async () => {
    let reencrypted = 0;
    let failed = 0;
    // Secrets that change concurrently are skipped, and handled by the next pass.
    for (let missed = 1; missed > 0; ) {
      missed = 0;
      for (let cursor: string | null = ''; cursor !== null; ) {
        const beganMs = monotonicMs();
        const batch: ReencryptedBatch = await data('POST', '/internal/secrets/reencrypt', {
          cursor: cursor || null,
        });
        reencrypted += batch.reencrypted;
        failed += batch.failed.length;
        missed += batch.missed;
        cursor = batch.next_cursor;
        await realSleep(monotonicMs() - beganMs);
      }
    }
    return { reencrypted, failed };
  };
  return { rewrapAll, count: () => data('GET', '/internal/secrets') };
}
