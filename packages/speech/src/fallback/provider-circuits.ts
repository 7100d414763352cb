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
  /** Notes each text that the provider has spoken to its end. */
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

  return {
    worked,
    isOpen: (provider) => of(provider).probeAtMs !== undefined,
    arrange<T>(providers: readonly T[], nameOf: (provider: T) => string): Arranged<T> {
      const nowMs = clock.nowMs();
      const usable: T[] = [];
      const down: T[] = [];
      let probe: T | undefined;
      for (const provider of providers) {
        const circuit = of(nameOf(provider));
        if (circuit.probeAtMs === undefined) usable.push(provider);
        else if (usable.length > 0 || providers.length === 1 || nowMs < circuit.probeAtMs)
          down.push(provider);
        else {
          circuit.probeAtMs = nowMs + PROBE_AFTER_MS;
          probe = provider;
          usable.push(provider);
        }
      }
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
      speak: (text, options) => noting(tts.speak(text, options), () => worked(tts.name)),
    }),
  };
}

async function* noting(audio: AsyncIterable<Int16Array>, onEnd: () => void): AsyncGenerator<Int16Array> {
  yield* audio;
  onEnd();
}
