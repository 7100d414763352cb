import { listSpeechProviders } from '@parley/contracts';
import { createLoadingCache } from '@parley/kit/cache';
import { NO_WORKSPACE, type ServiceClient } from '@parley/kit/http';

const TTL_MS = 10_000;

/** The providers that can speak and recognize speech now. Undefined: telephony has not responded yet. */
export type SpeechAvailability = () => Promise<AvailableSpeech | undefined>;

type AvailableSpeech = { speaking: ReadonlySet<string>; recognizing: ReadonlySet<string> };

export function createSpeechAvailability(telephony: ServiceClient): SpeechAvailability {
  const cache = createLoadingCache({
    load: async (_key: 'speech'): Promise<AvailableSpeech> => {
      const found = await telephony.call(listSpeechProviders, {}, { workspaceId: NO_WORKSPACE });
      const names = (does: 'speaks' | 'recognises'): Set<string> =>
        new Set(found.filter((provider) => provider[does]).map(({ name }) => name));
      return { speaking: names('speaks'), recognizing: names('recognises') };
    },
    maxEntries: 1,
    ttlMs: TTL_MS,
    staleOnErrorMs: Number.POSITIVE_INFINITY,
  });
  return () => cache.get('speech').catch(() => undefined);
}
