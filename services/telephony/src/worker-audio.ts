import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { isInstalled } from '@parley/speech/providers';
import type { Carrier } from './carriers/carrier.ts';
import { carriesAudio } from './carriers/registry.ts';
import type { WebAudio } from './carriers/web/audio/web-audio.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { loadOnce } from './load-once.ts';
import { addressesOf } from './own-server.ts';
import type { Apologize } from './sessions/apology.ts';
import type { SpeakAhead } from './sessions/call-session.ts';
import type { OpenAudio } from './sessions/open-audio.ts';
import { hasSpeech } from './speech/available-speech.ts';
import { configuredSpeech } from './speech/configured-speech.ts';
import type { FindHearing, FindSpeech } from './speech/find-speech.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

/** The audio that a worker supports: decided at its start, loaded when it is needed. */
export type WorkerAudio = {
  /** A carrier brings audio. */
  hasAudio: boolean;
  /** Web calls can be spoken. */
  hasWebAudio: boolean;
  maxLiveCalls: number;
  /** Undefined: no call has audio. */
  openAudio: OpenAudio | undefined;
  speakAhead: SpeakAhead | undefined;
  apologize: Apologize | undefined;
  /** Loads web audio and the speech providers that it needs. */
  loadWebAudio: () => Promise<WebAudio>;
};

/** Synthesis is the same on all lines. */
const WIDEST_LINE = 48_000;

type Overrides = { carrier?: Carrier; findSpeech?: FindSpeech };

/** Rejects if calls with audio would not be in real time. */
export async function prepareAudio(
  { config, clock, log }: Context,
  { measures, overrides, lifecycle }: { measures: WorkerMetrics; overrides: Overrides; lifecycle: Lifecycle },
): Promise<WorkerAudio> {
  const hasAudio = overrides.carrier
    ? overrides.carrier.capabilities.media === 'audio'
    : carriesAudio(config);
  if (hasAudio && clock.rate !== 1)
    throw new Error('Calls with audio are in real time: CLOCK_RATE must be 1');
  const hasWebAudio =
    config.WEB_AUDIO === 'auto' &&
    clock.rate === 1 &&
    (overrides.findSpeech !== undefined ||
      (await hasSpeech({ providers: configuredSpeech(config), isInstalled })));
  const loadProviders = loadOnce(async () => {
    const { createSpeechCircuits, ...create } = await import('./speech/provider-speech.ts');
    const circuits = createSpeechCircuits((use, provider, isOpen) => {
      measures.speechCircuit(use, provider, isOpen);
      if (isOpen) log.warn({ use, provider }, 'a provider of speech is down: calls use the next one');
      else log.info({ use, provider }, 'a provider of speech works again');
    });
    return { ...create, circuits };
  });
  const findSpeech = loadOnce(async () => {
    if (overrides.findSpeech) return overrides.findSpeech;
    const { createFindSpeech, circuits } = await loadProviders();
    return createFindSpeech(config, log, circuits);
  });
  const loadSpeech = loadOnce(async () => {
    const { createOpenAudio } = await import('./sessions/open-audio.ts');
    return createOpenAudio(await findSpeech(), measures);
  });
  const loadApology = loadOnce(async () => {
    const { createApology } = await import('./sessions/apology.ts');
    const { findSpeech: double } = overrides;
    if (double) return createApology((choice) => double({ ...choice, workspaceId: '' }));
    const { createFindVoice, circuits } = await loadProviders();
    return createApology(await createFindVoice(config, log, circuits));
  });
  if (hasAudio) await loadSpeech();
  return {
    hasAudio,
    hasWebAudio,
    maxLiveCalls: hasAudio ? Math.min(config.MAX_AUDIO_CALLS, config.MAX_LIVE_CALLS) : config.MAX_LIVE_CALLS,
    apologize: hasAudio || hasWebAudio ? async (call) => (await loadApology())(call) : undefined,
    speakAhead:
      hasAudio || hasWebAudio
        ? ({ config: chosen, firstMessage }, { id: callId, workspaceId }, signal) => {
            // A failure is handled when the greeting is spoken.
            findSpeech()
              .then((find) => find({ ...chosen, workspaceId, callId, lineRate: WIDEST_LINE }))
              .then(({ speakAhead }) => speakAhead?.(firstMessage, chosen.language, signal))
              .catch(() => {});
          }
        : undefined,
    openAudio: hasAudio || hasWebAudio ? async (call) => (await loadSpeech())(call) : undefined,
    loadWebAudio: loadOnce(async () => {
      const { createWebAudio } = await import('./carriers/web/audio/web-audio.ts');
      await loadSpeech();
      return createWebAudio({
        host: config.HOST,
        addresses: config.WEB_UDP_ADDRESSES ?? addressesOf(config.HOST),
        ports: config.WEB_UDP_PORTS,
        log,
        lifecycle,
      });
    }),
  };
}

/** Loads the providers when the first recording is transcribed. */
export function createLazyHearing(config: Config, log: Log): FindHearing {
  const load = loadOnce(async () => {
    const { createFindHearing } = await import('./speech/provider-speech.ts');
    return createFindHearing(config, log);
  });
  return async (choice) => (await load())(choice);
}
