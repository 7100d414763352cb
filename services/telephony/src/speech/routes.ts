import { listSpeechProviders } from '@parley/contracts';
import { createLoadingCache } from '@parley/kit/cache';
import { type App, mount } from '@parley/kit/http';
import { isInstalled } from '@parley/speech/providers';
import { carriesAudio } from '../carriers/registry.ts';
import type { Config } from '../config.ts';
import { availableSpeech } from './available-speech.ts';
import { configuredSpeech } from './configured-speech.ts';

/** A newly installed program is noticed after this time. */
const CHECK_EVERY_MS = 60_000;

export function mountSpeech(app: App, { config }: { config: Config }): void {
  const checks = createLoadingCache({ load: isInstalled, maxEntries: 2, ttlMs: CHECK_EVERY_MS });
  const deps = {
    providers: configuredSpeech(config),
    liveModels: config.LIVE_MODELS,
    hasAudio: carriesAudio(config),
    isInstalled: (program: 'flite' | 'pocketsphinx') => checks.get(program),
  };
  mount(app, listSpeechProviders, () => availableSpeech(deps));
}
