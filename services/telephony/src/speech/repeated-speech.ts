import { createCache } from '@parley/kit/cache';
import { realSleep } from '@parley/kit/time';
import type { SpokenWord, TextToSpeech } from '@parley/speech';

/** A provider whose sentences are kept. */
export type RepeatedSpeech = TextToSpeech & {
  /** Synthesises a sentence that is about to be spoken, in this voice; a failure is left to `speak`. */
  speakAhead(text: string, options: SpeakOptions): Promise<void>;
};

type SpeakOptions = Parameters<TextToSpeech['speak']>[1];

type Speech = { audio: readonly Int16Array[]; words: readonly SpokenWord[] };

/** About five minutes of speech at 24 kHz. */
const MAX_BYTES = 16 * 1_024 * 1_024;
const MAX_ENTRIES = 2_000;
/** What a provider said badly once, and what is said to one person, doesn't stay. Real time. */
const TTL_MS = 30 * 60_000;
/** A provider that streams begins earlier than a sentence that is being synthesised ahead is complete. Real time. */
const AHEAD_WAIT_MS = 400;

/**
 * Adds a cache in memory to providers, since many calls begin with the same sentence: it is then heard at once, and costs nothing. Returns
 * a function that wraps a provider for a workspace; all wrapped providers share the cache, but no sentence of another workspace: how soon
 * one is heard would reveal what others say. Texts must arrive whole, as sentences do.
 */
export function createRepeatedSpeech(
  maxBytes = MAX_BYTES,
): (tts: TextToSpeech, workspaceId: string) => RepeatedSpeech {
  const cache = createCache<string, Speech>({
    maxEntries: MAX_ENTRIES,
    maxSize: maxBytes,
    ttlMs: TTL_MS,
    sizeOf: ({ audio }) => audio.reduce((sum, samples) => sum + samples.byteLength, 0),
  });

  const ahead = new Map<string, { done: Promise<void>; abort(): void }>();
  const wrap = (tts: TextToSpeech, workspaceId: string): RepeatedSpeech => ({
    ...tts,
    async speakAhead(text, options) {
      const key = keyOf([workspaceId, tts.name], text, options);
      if (ahead.has(key) || cache.get(key)) return;
      const stop = new AbortController();
      const signal = AbortSignal.any([options.signal, stop.signal]);
      const done = drain(speak(tts, text, key, { ...options, signal })).catch(() => {});
      ahead.set(key, { done, abort: () => stop.abort(new Error('No longer needed')) });
      await done.finally(() => ahead.delete(key));
    },
    async *speak(parts, options) {
      const { signal, onWord } = options;
      const text = await textOf(parts);
      const key = keyOf([workspaceId, tts.name], text, options);
      const begun = ahead.get(key);
      try {
        if (begun) await Promise.race([begun.done, realSleep(AHEAD_WAIT_MS, signal)]);
      } finally {
        // Late, or interrupted: its audio will not be heard.
        if (!cache.get(key)) begun?.abort();
      }
      const known = cache.get(key);
      if (known) {
        for (const word of known.words) onWord?.(word);
        for (const samples of known.audio) {
          signal.throwIfAborted();
          yield samples.slice();
        }
        return;
      }
      yield* speak(tts, text, key, options);
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

async function drain(audio: AsyncIterable<Int16Array>): Promise<void> {
  for await (const _ of audio);
}

async function textOf(parts: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of parts) text += part;
  return text;
}

async function* oneText(text: string): AsyncGenerator<string> {
  yield text;
}
