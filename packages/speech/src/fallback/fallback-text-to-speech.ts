import { createResampler, type MediaClock, msOf } from '@parley/media';
import { SpeechError, type TextToSpeech } from '../ports.ts';
import { replayable } from '../providers/replayable.ts';
import { withDeadline } from './deadline.ts';
import { isRepeatable, toSpeechError } from './failures.ts';
import type { ProviderCircuits } from './provider-circuits.ts';

const DEFAULT_TIMEOUT_MS = 5_000;
/** A text that is being heard may stall this often: each time is silence for the human. */
const MAX_STALLS = 2;
/** A provider that failed permanently is tried again after this time. */
const COOL_DOWN_MS = 30_000;

type SpeakOptions = Parameters<TextToSpeech['speak']>[1];
type Backup = { tts: TextToSpeech; voiceId?: string };

/**
 * Text to speech that survives failures of its provider: a failed request is repeated once (unless that can't help), then the next provider speaks, in
 * its own voice. A provider that stalls after the first audio of the text is repeated only after the others have failed too, and the text ends with the
 * second stall. Audio that was yielded before the failure isn't repeated, but its words are reported again. Rejects with the last provider's SpeechError.
 */
export function createFallbackTextToSpeech(
  first: TextToSpeech,
  backups: readonly Backup[],
  options: {
    clock: MediaClock;
    /** Timeout for the first audio of a text; later, the maximum that its audio may fall behind playout. */
    timeoutMs?: number;
    /** Timeout for further audio, also from another attempt; and for any audio if all providers have just failed. */
    silenceMs?: number;
    /** Called with each failure, including those that a retry hides. */
    onFailure?: (error: SpeechError) => void;
    /** What other calls know: providers that are down are used last. */
    circuits?: ProviderCircuits;
  },
): TextToSpeech {
  const { clock, timeoutMs = DEFAULT_TIMEOUT_MS, silenceMs = timeoutMs, onFailure, circuits } = options;
  const providers: readonly Backup[] = [{ tts: first }, ...backups];
  const failedAtMs = new Map<TextToSpeech, number>();
  const isCooling = ({ tts }: Backup): boolean =>
    clock.nowMs() - (failedAtMs.get(tts) ?? Number.NEGATIVE_INFINITY) < COOL_DOWN_MS;

  async function* speak(text: AsyncIterable<string>, given: SpeakOptions): AsyncGenerator<Int16Array> {
    const replayed = replayable(text);
    let yielded = 0;
    let failure: SpeechError | undefined;
    let stalls = 0;
    const available = providers.filter((provider) => !isCooling(provider));
    const known = [...(available.length > 0 ? available : providers)];
    const arranged = circuits?.arrange(known, ({ tts }) => tts.name);
    const { attempts, probe } = arranged ?? { attempts: known, probe: undefined };
    const repeated = new Set<Backup>();
    while (stalls < MAX_STALLS) {
      const provider = attempts.shift();
      if (!provider) break;
      const voiceId = provider.tts === first ? given.voiceId : provider.voiceId;
      let isOver = false;
      let hadAudio = false;
      if (failure) given.onRestart?.();
      try {
        const audio = attemptOf(
          provider.tts,
          replayed.read(),
          {
            ...without(given),
            ...(voiceId !== undefined && { voiceId }),
            onWord: (word) => void (isOver || given.onWord?.(word)),
          },
          yielded > 0 || available.length === 0 || provider === probe ? silenceMs : timeoutMs,
          () => {
            if (!hadAudio) given.onProvider?.(provider.tts.name);
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
        const isStalled = failure.kind === 'timeout' && yielded > 0;
        if (isStalled) stalls += 1;
        // Before its first audio, a provider that `repeats` has already retried.
        const mayRepeat =
          isRepeatable(failure) &&
          provider !== probe &&
          !repeated.has(provider) &&
          !(provider.tts.repeats && !hadAudio);
        if (mayRepeat) repeated.add(provider);
        if (mayRepeat && !isStalled) attempts.unshift(provider);
        else {
          failedAtMs.set(provider.tts, clock.nowMs());
          circuits?.failed(provider.tts.name, failure.kind);
        }
        if (mayRepeat && isStalled) attempts.push(provider);
      }
    }
    throw failure;
  }

  /** One attempt, at the rate of the first provider. */
  async function* attemptOf(
    tts: TextToSpeech,
    text: AsyncIterable<string>,
    given: SpeakOptions,
    firstMs: number,
    onAudio: () => void,
  ): AsyncGenerator<Int16Array> {
    const abandoned = new AbortController();
    const signal = AbortSignal.any([given.signal, abandoned.signal]);
    const audio = tts.speak(text, { ...given, signal })[Symbol.asyncIterator]();
    const resampler = createResampler(tts.sampleRate, first.sampleRate);
    const late = (): SpeechError => new SpeechError(tts.name, 'timeout', 'No audio in time');
    let isSilent = true;
    let leftMs = timeoutMs;
    try {
      for (;;) {
        const beganAtMs = clock.nowMs();
        const ms = isSilent ? firstMs : Math.min(leftMs, silenceMs);
        const next = await withDeadline(audio.next(), ms, clock, late);
        if (next.done) break;
        const audioMs = msOf(next.value.length, tts.sampleRate);
        if (!isSilent) leftMs = Math.min(timeoutMs, leftMs - (clock.nowMs() - beganAtMs) + audioMs);
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
