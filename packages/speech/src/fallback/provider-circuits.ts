import type { MediaClock } from '@parley/media';
import type { SpeechErrorKind, TextToSpeech } from '../ports.ts';

/** Of the others, a voice, a model or a text of one call may be the cause. */
const COUNTED: ReadonlySet<SpeechErrorKind> = new Set([
  'credentials',
  'rate_limit',
  'unavailable',
  'timeout',
]);
/** A provider that has worked for any call within this time is not down. */
const WORKED_WITHIN_MS = 10_000;
const PROBE_AFTER_MS = 30_000;

type Circuit = {
  workedAtMs: number;
  /** When the next call tries it again; undefined: the circuit is closed. */
  probeAtMs: number | undefined;
};

/** The providers in the order in which a call uses them. `probe`: one whose circuit is open, and that is tried once. */
type Arranged<T> = { attempts: T[]; probe: T | undefined };

export type ProviderCircuits = {
  /** At most one provider is probed at a time, and only if a provider that works comes after it. */
  arrange<T>(providers: readonly T[], nameOf: (provider: T) => string): Arranged<T>;
  isOpen(provider: string): boolean;
  /** All attempts of a call at the provider have failed. */
  failed(provider: string, kind: SpeechErrorKind): void;
  worked(provider: string): void;
  /** A call really uses the provider, which uses up the probe: a cache in front of it may have the sentence. */
  asked(provider: string): void;
  /** Notes each text that the provider is asked for, and each that it has spoken to its end. */
  observe(tts: TextToSpeech): TextToSpeech;
};

/**
 * What the calls of a process know of the providers of one direction, so that further calls do not wait for one that is down:
 *
 *   closed   it is used in its order
 *   open     its attempts failed, and it has not worked for any call in the last 10 s: the others come first
 *   probe    it has been open for 30 s: one call tries it once, for one timeout. If that fails as well, the next one does 30 s later
 *
 * Unlike with opossum, a request that the human interrupted counts neither as failed nor as successful.
 */
export function createProviderCircuits({
  clock,
  onChange,
}: {
  clock: Pick<MediaClock, 'nowMs'>;
  onChange?: ((provider: string, isOpen: boolean) => void) | undefined;
}): ProviderCircuits {
  const circuits = new Map<string, Circuit>();
  const of = (provider: string): Circuit => {
    const circuit = circuits.get(provider) ?? { workedAtMs: Number.NEGATIVE_INFINITY, probeAtMs: undefined };
    circuits.set(provider, circuit);
    return circuit;
  };

  const worked: ProviderCircuits['worked'] = (provider) => {
    const circuit = of(provider);
    circuit.workedAtMs = clock.nowMs();
    if (circuit.probeAtMs === undefined) return;
    circuit.probeAtMs = undefined;
    onChange?.(provider, false);
  };

  const asked: ProviderCircuits['asked'] = (provider) => {
    const circuit = of(provider);
    const nowMs = clock.nowMs();
    if (circuit.probeAtMs !== undefined && nowMs >= circuit.probeAtMs)
      circuit.probeAtMs = nowMs + PROBE_AFTER_MS;
  };

  return {
    worked,
    asked,
    isOpen: (provider) => of(provider).probeAtMs !== undefined,
    arrange<T>(providers: readonly T[], nameOf: (provider: T) => string): Arranged<T> {
      const nowMs = clock.nowMs();
      const probeAtMs = (provider: T) => of(nameOf(provider)).probeAtMs;
      const firstUsable = providers.findIndex((provider) => probeAtMs(provider) === undefined);
      if (firstUsable < 0) return { attempts: [...providers], probe: undefined };
      const probe = providers.slice(0, firstUsable).find((provider) => nowMs >= (probeAtMs(provider) ?? 0));
      const usable = providers.filter((provider) => provider === probe || probeAtMs(provider) === undefined);
      const down = providers.filter((provider) => !usable.includes(provider));
      return { attempts: [...usable, ...down], probe };
    },
    failed(provider, kind) {
      const circuit = of(provider);
      const nowMs = clock.nowMs();
      if (!COUNTED.has(kind) || nowMs - circuit.workedAtMs < WORKED_WITHIN_MS) return;
      const wasOpen = circuit.probeAtMs !== undefined;
      circuit.probeAtMs = nowMs + PROBE_AFTER_MS;
      if (!wasOpen) onChange?.(provider, true);
    },
    observe: (tts) => ({
      ...tts,
      speak: (text, options) => {
        asked(tts.name);
        return noting(tts.speak(text, options), () => worked(tts.name));
      },
    }),
  };
}

/** A text without audio counts as failed. */
async function* noting(audio: AsyncIterable<Int16Array>, onSpoken: () => void): AsyncGenerator<Int16Array> {
  let hasAudio = false;
  for await (const samples of audio) {
    hasAudio ||= samples.length > 0;
    yield samples;
  }
  if (hasAudio) onSpoken();
}
