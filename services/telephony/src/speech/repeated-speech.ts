import { createCache } from '@parley/kit/cache';
import type { SpokenWord, TextToSpeech } from '@parley/speech';
import { type SharedSpeech, type SpeakOptions, startSharedSpeech } from './shared-speech.ts';

/** A provider whose sentences are kept. */
export type RepeatedSpeech = TextToSpeech & {
  /** Synthesizes a sentence that is about to be spoken, in this voice; `speak` reports a failure. */
  speakAhead(text: string, options: SpeakOptions): Promise<void>;
};

/** The call that speaks. */
type Speaker = { workspaceId: string; callId: string };

type Speech = { audio: readonly Int16Array[]; words: readonly SpokenWord[] };

/** About five minutes of speech at 24 kHz. */
const MAX_BYTES = 16 * 1_024 * 1_024;
const MAX_ENTRIES = 2_000;
/** Limits how long a badly spoken sentence, or one for a single person, is kept. Real time. */
const TTL_MS = 30 * 60_000;

/**
 * Adds a cache in memory to providers, since many calls begin with the same sentence: it is then heard at once, and costs nothing. Returns
 * a function that wraps a provider for a call; all wrapped providers share the cache, and what is being synthesized ahead, but no sentence of
 * another workspace: how soon one is heard would reveal what others say. Texts must arrive whole, as sentences do.
 */
export function createRepeatedSpeech(
  maxBytes = MAX_BYTES,
): (tts: TextToSpeech, speaker: Speaker) => RepeatedSpeech {
  const cache = createCache<string, Speech>({
    maxEntries: MAX_ENTRIES,
    maxSize: maxBytes,
    ttlMs: TTL_MS,
    sizeOf: ({ audio }) => audio.reduce((sum, samples) => sum + samples.byteLength, 0),
  });

  const ahead = new Map<string, SharedSpeech>();
  const wrap = (tts: TextToSpeech, { workspaceId, callId }: Speaker): RepeatedSpeech => ({
    ...tts,
    async speakAhead(text, options) {
      const { signal } = options;
      const key = keyOf([workspaceId, tts.name], text, options);
      if (signal.aborted || cache.get(key)) return;
      const begun =
        ahead.get(key) ??
        startSharedSpeech(
          tts.name,
          (shared) => speak(tts, text, key, { ...options, ...shared }),
          () => ahead.delete(key),
        );
      ahead.set(key, begun);
      await begun.expect(callId, signal);
    },
    async *speak(parts, options) {
      const { signal, onWord } = options;
      const text = await textOf(parts);
      const key = keyOf([workspaceId, tts.name], text, options);
      const known = cache.get(key);
      if (known) {
        for (const word of known.words) onWord?.(word);
        for (const samples of known.audio) {
          signal.throwIfAborted();
          yield samples.slice();
        }
        return;
      }
      yield* ahead.get(key)?.listen(callId, options) ?? speak(tts, text, key, options);
    },
  });

  async function* speak(
    tts: TextToSpeech,
    text: string,
    key: string,
    options: SpeakOptions,
  ): AsyncGenerator<Int16Array> {
    const audio: Int16Array[] = [];
    let words: SpokenWord[] = [];
    const spoken = tts.speak(oneText(text), {
      ...options,
      onWord: (word) => {
        words.push(word);
        options.onWord?.(word);
      },
      onRestart: () => {
        words = [];
        options.onRestart?.();
      },
    });
    for await (const samples of spoken) {
      // The receiver may change what it gets.
      audio.push(samples.slice());
      yield samples;
    }
    // An answer that was broken off doesn't get here.
    if (audio.length > 0) cache.set(key, { audio, words });
  }

  return wrap;
}

function keyOf(of: readonly string[], text: string, { voiceId, speed, language }: SpeakOptions): string {
  return JSON.stringify([...of, voiceId, speed, language, text]);
}

async function textOf(parts: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of parts) text += part;
  return text;
}

async function* oneText(text: string): AsyncGenerator<string> {
  yield text;
}
