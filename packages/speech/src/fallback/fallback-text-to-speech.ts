import { createResampler, type MediaClock, msOf } from '@parley/media';
import { SpeechError, type TextToSpeech } from '../ports.ts';
import { withDeadline } from './deadline.ts';
import { isRepeatable, toSpeechError } from './failures.ts';

/** How far a provider's audio may fall behind its being spoken. */
const DEFAULT_TIMEOUT_MS = 5_000;
/** A provider that failed permanently is tried again after this time. */
const COOL_DOWN_MS = 30_000;

type SpeakOptions = Parameters<TextToSpeech['speak']>[1];
type Backup = { tts: TextToSpeech; voiceId?: string };

/**
 * Text to speech that survives failures of its provider: a failed request is repeated once (unless that can't help), then the next provider speaks, in
 * its own voice. Audio that was yielded before the failure isn't repeated, but its words are reported again. Rejects with the last provider's
 * SpeechError.
 */
export function createFallbackTextToSpeech(
  first: TextToSpeech,
  backups: readonly Backup[],
  options: {
    clock: MediaClock;
    timeoutMs?: number;
    /** Called with each failure, including those that a retry hides. */
    onFailure?: (error: SpeechError) => void;
  },
): TextToSpeech {
  const { clock, timeoutMs = DEFAULT_TIMEOUT_MS, onFailure } = options;
  const providers: readonly Backup[] = [{ tts: first }, ...backups];
  const failedAtMs = new Map<TextToSpeech, number>();
  const isCooling = ({ tts }: Backup): boolean =>
    clock.nowMs() - (failedAtMs.get(tts) ?? Number.NEGATIVE_INFINITY) < COOL_DOWN_MS;

  async function* speak(text: AsyncIterable<string>, given: SpeakOptions): AsyncGenerator<Int16Array> {
    const replayed = replayable(text);
    let yielded = 0;
    let failure: SpeechError | undefined;
    const available = providers.filter((provider) => !isCooling(provider));
    for (const provider of available.length > 0 ? available : providers) {
      const voiceId = provider.tts === first ? given.voiceId : provider.voiceId;
      for (let attempt = 0; attempt < 2; attempt += 1) {
        let isOver = false;
        let hadAudio = false;
        if (failure) given.onRestart?.();
        try {
          const audio = attemptOf(
            provider.tts,
            replayed(),
            {
              ...without(given),
              ...(voiceId !== undefined && { voiceId }),
              onWord: (word) => void (isOver || given.onWord?.(word)),
            },
            () => {
              hadAudio = true;
            },
          );
          for await (const samples of skip(audio, yielded)) {
            yielded += samples.length;
            yield samples;
          }
          return;
        } catch (error) {
          given.signal.throwIfAborted();
          failure = toSpeechError(provider.tts.name, error);
          isOver = true;
          onFailure?.(failure);
          // Before its first audio, a provider that `repeats` has already retried.
          if (!isRepeatable(failure) || (provider.tts.repeats && !hadAudio)) break;
        }
      }
      failedAtMs.set(provider.tts, clock.nowMs());
    }
    throw failure;
  }

  /** One attempt, at the rate of the first provider. */
  async function* attemptOf(
    tts: TextToSpeech,
    text: AsyncIterable<string>,
    given: SpeakOptions,
    onAudio: () => void,
  ): AsyncGenerator<Int16Array> {
    const abandoned = new AbortController();
    const signal = AbortSignal.any([given.signal, abandoned.signal]);
    const audio = tts.speak(text, { ...given, signal })[Symbol.asyncIterator]();
    const resampler = createResampler(tts.sampleRate, first.sampleRate);
    const late = (): SpeechError => new SpeechError(tts.name, 'timeout', `No audio within ${timeoutMs} ms`);
    let isSilent = true;
    let leftMs = timeoutMs;
    try {
      for (;;) {
        const beganAtMs = clock.nowMs();
        const next = await withDeadline(audio.next(), leftMs, clock, late);
        if (next.done) break;
        const audioMs = msOf(next.value.length, tts.sampleRate);
        leftMs = Math.min(timeoutMs, leftMs - (clock.nowMs() - beganAtMs) + audioMs);
        isSilent = false;
        onAudio();
        yield resampler.process(next.value);
      }
    } finally {
      abandoned.abort();
      // One that waits for the receiver of its audio does not notice the signal.
      void audio.return?.().catch(() => {});
    }
    if (isSilent) throw new SpeechError(tts.name, 'protocol', 'The text has no audio');
  }

  return { name: first.name, sampleRate: first.sampleRate, speak };
}

function without({ voiceId: _, ...rest }: SpeakOptions): SpeakOptions {
  return rest;
}

/** Skips the first `samples` of the stream. */
async function* skip(audio: AsyncIterable<Int16Array>, samples: number): AsyncGenerator<Int16Array> {
  let left = samples;
  for await (const block of audio) {
    const kept = left > 0 ? block.subarray(left) : block;
    left = Math.max(0, left - block.length);
    if (kept.length > 0) yield kept;
  }
}

/** Makes a streamed text readable several times, each time from its beginning. */
function replayable(text: AsyncIterable<string>): () => AsyncGenerator<string> {
  const source = text[Symbol.asyncIterator]();
  const parts: Promise<IteratorResult<string>>[] = [];
  return async function* () {
    for (let n = 0; ; n += 1) {
      parts[n] ??= source.next();
      const part = await parts[n];
      if (!part || part.done) return;
      yield part.value;
    }
  };
}
