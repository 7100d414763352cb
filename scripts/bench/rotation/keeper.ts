import type { ReencryptedBatch, SecretCount } from '@parley/contracts';
import { type Actor, NO_WORKSPACE } from '@parley/kit/http';
import type { SecretKeeper } from '../../../services/gateway/src/domain/secrets/ports.ts';
import type { Ask } from '../assistants/service.ts';

export const SERVICE: Actor = { kind: 'service', id: 'operator' };

/** A process of assistants as the operator's command asks it. */
export function keeperOf(ask: Ask): SecretKeeper {
  const data = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await ask(NO_WORKSPACE, method, path, body, SERVICE);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { data: unknown }).data;
  };
  return {
    name: 'assistants',
    reencrypt: async (cursor) =>
      (await data('POST', '/internal/secrets/reencrypt', { cursor })) as ReencryptedBatch,
    count: async () => (await data('GET', '/internal/secrets')) as SecretCount[],
  };
}
