import { listSpeechProviders } from '@parley/contracts';
import { createLoadingCache } from '@parley/kit/cache';
import { NO_WORKSPACE, type ServiceClient } from '@parley/kit/http';
import { ANY_LANGUAGE } from '../voices/provider-voices.ts';

const TTL_MS = 10_000;

/** The providers that can speak and recognize speech now. Undefined: telephony has not responded yet. */
export type SpeechAvailability = () => Promise<AvailableSpeech | undefined>;

type AvailableSpeech = {
  /** Whether a provider speaks a BCP 47 language now. */
  speaks(provider: string, language: string): boolean;
  recognizing: ReadonlySet<string>;
};

export function createSpeechAvailability(telephony: ServiceClient): SpeechAvailability {
  const cache = createLoadingCache({
    load: async (_key: 'speech'): Promise<AvailableSpeech> => {
      const found = await telephony.call(listSpeechProviders, {}, { workspaceId: NO_WORKSPACE });
      const speaking = new Map(
        found.filter((each) => each.speaks).map((each) => [each.name, each.languages]),
      );
      return {
        speaks: (provider, language) => {
          const primary = language.split('-')[0]?.toLowerCase() ?? '';
          const languages = speaking.get(provider) ?? [primary];
          return speaking.has(provider) && (language === ANY_LANGUAGE || languages.includes(primary));
        },
        recognizing: new Set(found.filter((each) => each.recognises).map(({ name }) => name)),
      };
    },
    maxEntries: 1,
    ttlMs: TTL_MS,
    staleOnErrorMs: Number.POSITIVE_INFINITY,
  });
  return () => cache.get('speech').catch(() => undefined);
}
