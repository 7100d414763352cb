import { listSpeechProviders } from '@parley/contracts';
import { createLoadingCache } from '@parley/kit/cache';
import { NO_WORKSPACE, type ServiceClient } from '@parley/kit/http';

const TTL_MS = 10_000;

/** The providers that can speak now. Undefined: telephony can't be called and never could. */
export type SpeechAvailability = () => Promise<ReadonlySet<string> | undefined>;

export function createSpeechAvailability(telephony: ServiceClient): SpeechAvailability {
  const cache = createLoadingCache({
    load: async (_key: 'speech'): Promise<ReadonlySet<string>> => {
      const found = await telephony.call(listSpeechProviders, {}, { workspaceId: NO_WORKSPACE });
      return new Set(found.filter(({ speaks }) => speaks).map(({ name }) => name));
    },
    maxEntries: 1,
    ttlMs: TTL_MS,
    staleOnErrorMs: Number.POSITIVE_INFINITY,
  });
  return () => cache.get('speech').catch(() => undefined);
}
