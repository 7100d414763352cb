import { createResampler, type MediaClock, msOf, type Resampler, samplesIn } from '@parley/media';
import { SpeechError, type SpeechStream, type SpeechToText } from '../ports.ts';
import { wordsTimeoutMs } from '../providers/limits.ts';
import { withDeadline } from './deadline.ts';
import { isRepeatable, toSpeechError } from './failures.ts';
import type { ProviderCircuits } from './provider-circuits.ts';

/** Final words must arrive within this time after a flush, plus half of `flushingMs`. */
const DEFAULT_TIMEOUT_MS = 4_000;
/** Maximum audio that is replayed to the next stream: audio without final words. */
const MAX_REPLAYED_MS = 30_000;
/** A failure this long after the previous one, or after the beginning, starts a new series of attempts: the other providers may have recovered. */
const RECOVERED_AFTER_MS = 60_000;

type OpenOptions = Parameters<SpeechToText['open']>[0];

/**
 * Speech to text that survives failures of its provider: a failed stream is reopened once (unless that can't help), then the next
 * provider is used. The new stream hears the audio without final words again, so none is lost. `onError` gets the last provider's error.
 */
export function createFallbackSpeechToText(
  first: SpeechToText,
  backups: readonly SpeechToText[],
  options: {
    clock: MediaClock;
    timeoutMs?: number;
    /** In place of `timeoutMs` for a provider that was down a moment ago. */
    silenceMs?: number;
    /** Called with each failure, including those that a retry hides. */
    onFailure?: (error: SpeechError) => void;
    /** What other calls know: providers that are down are used last. */
    circuits?: ProviderCircuits;
  },
): SpeechToText {
  return {
    name: first.name,
    sampleRate: first.sampleRate,
    ...(first.minLineRate !== undefined && { minLineRate: first.minLineRate }),
    open: (given) => openStream([first, ...backups], given, options),
  };
}

function openStream(
  providers: readonly SpeechToText[],
  given: OpenOptions,
  options: Parameters<typeof createFallbackSpeechToText>[2],
): SpeechStream {
  const { clock, timeoutMs = DEFAULT_TIMEOUT_MS, silenceMs = timeoutMs, onFailure, circuits } = options;
  const rate = (providers[0] as SpeechToText).sampleRate;
  const maxReplayed = samplesIn(MAX_REPLAYED_MS, rate);
  let probe: SpeechToText | undefined;
  /** The attempts: at `begun`, then at the others, of which those come last that are known to be down. */
  const seriesOf = (others: readonly SpeechToText[], begun: readonly SpeechToText[] = []): SpeechToText[] => {
    const arranged = circuits?.arrange(others, ({ name }) => name);
    probe = arranged?.probe;
    return [...begun, ...(arranged?.attempts ?? others)].flatMap((provider) =>
      provider.repeats || provider === probe ? [provider] : [provider, provider],
    );
  };
  let attempts = seriesOf(providers);
  let attempt = 0;
  /** Identifies the current stream: results of older ones are ignored. */
  let generation = 0;
  let lastFailureMs = clock.nowMs();
  let current: { stream: SpeechStream; resampler: Resampler; provider: SpeechToText } | undefined;
  let pushed = 0;
  /** Audio without final words. */
  let unconfirmed: Int16Array[] = [];
  let unconfirmedLength = 0;
  let isClosed = false;

  const confirmUntil = (position: number): void => {
    while (unconfirmed[0] && pushed - unconfirmedLength + unconfirmed[0].length <= position) {
      unconfirmedLength -= unconfirmed.shift()?.length ?? 0;
    }
  };
  const fail = (error: SpeechError): void => {
    generation += 1;
    onFailure?.(error);
    const failed = current?.provider ?? attempts[attempt];
    current?.stream.close();
    current = undefined;
    if (failed && clock.nowMs() - lastFailureMs > RECOVERED_AFTER_MS) {
      const others = providers.filter((provider) => provider !== failed);
      attempts = seriesOf(others, [failed]);
      attempt = 0;
    }
    lastFailureMs = clock.nowMs();
    attempt += 1;
    if (!isRepeatable(error)) while (attempts[attempt] === failed) attempt += 1;
    if (failed && attempts[attempt] !== failed) circuits?.failed(failed.name, error.kind);
    if (attempt < attempts.length) {
      open();
      return;
    }
    isClosed = true;
    given.onError(error);
  };
  const open = (): void => {
    generation += 1;
    const mine = generation;
    const provider = attempts[attempt] as SpeechToText;
    const offsetMs = msOf(pushed - unconfirmedLength, rate);
    let hasWorked = false;
    const onError = (error: SpeechError): void => {
      if (mine === generation && !isClosed) fail(error);
    };
    circuits?.asked(provider.name);
    try {
      const { model, ...rest } = given;
      const stream = provider.open({
        ...rest,
        // Another provider has other models.
        ...(model !== undefined && provider === providers[0] && { model }),
        onResult: (result) => {
          if (mine !== generation || isClosed) return;
          // Streams that are open already don't show that another one could be opened.
          if (!hasWorked) circuits?.worked(provider.name);
          hasWorked = true;
          if (provider === probe) probe = undefined;
          const endMs = result.endMs + offsetMs;
          if (result.isFinal) confirmUntil(samplesIn(endMs, rate));
          given.onResult({ provider: provider.name, ...result, startMs: result.startMs + offsetMs, endMs });
        },
        onError,
      });
      if (mine !== generation || isClosed) {
        stream.close();
        return;
      }
      const resampler = createResampler(rate, provider.sampleRate);
      current = { stream, resampler, provider };
      for (const samples of unconfirmed) stream.push(resampler.process(samples));
    } catch (error) {
      onError(toSpeechError(provider.name, error));
    }
  };
  open();

  return {
    push(samples) {
      if (isClosed) return;
      pushed += samples.length;
      unconfirmed.push(samples);
      unconfirmedLength += samples.length;
      while (unconfirmedLength > maxReplayed) unconfirmedLength -= unconfirmed.shift()?.length ?? 0;
      current?.stream.push(current.resampler.process(samples));
    },
    async flush() {
      const at = pushed;
      while (!isClosed) {
        const flushed = current;
        if (!flushed) return;
        try {
          const words = flushed.stream.flush();
          const limitMs = flushed.provider === probe ? silenceMs : timeoutMs;
          const ms = wordsTimeoutMs(limitMs, flushed.stream.flushingMs ?? 0);
          const late = (): SpeechError =>
            new SpeechError(flushed.provider.name, 'timeout', `No final words within ${ms} ms`);
          await withDeadline(words, ms, clock, late);
        } catch (error) {
          if (current === flushed) fail(toSpeechError(flushed.provider.name, error));
        }
        // The stream has failed since: its successor got the same audio.
        if (current !== flushed) continue;
        return confirmUntil(at);
      }
    },
    close() {
      isClosed = true;
      current?.stream.close();
      unconfirmed = [];
    },
  };
}
