import type { MediaSession } from '@parley/media';
import type { SpokenProgress } from '../turns/interruption.ts';
import { heardText, type SpokenSentence } from './heard-text.ts';
import { type SpeakOptions, speakText } from './speak-text.ts';

/** The result of an answer. */
export type Spoken = {
  /** The words that the human has heard. */
  text: string;
  /** The human interrupted it, by speech or by a key. */
  isInterrupted: boolean;
  /** When its first audio was sent; null: there was none. */
  firstAudioAtMs: number | null;
};

/** An answer that is being spoken. */
export type Answer = {
  progress(): SpokenProgress;
  /** Silence from the next frame on. */
  interrupt(): void;
  /** Resolves at its end, with the error that ended it early, if any; never rejects. */
  readonly done: Promise<{ spoken: Spoken; error?: unknown }>;
};

/** Starts to speak a text. If the text or its synthesis fails, the audio so far is played to its end. */
export function startAnswer(
  media: MediaSession,
  text: string | AsyncIterable<string>,
  options: Omit<SpeakOptions, 'onSentence' | 'onVoice'> & {
    /** Called with the provider that spoke it. */
    onFirstAudio: (atMs: number, provider: string) => void;
  },
): Answer {
  const { signal, onFirstAudio } = options;
  const sentences: SpokenSentence[] = [];
  const playback = media.play();
  const over = new AbortController();
  let isWritten = false;
  let isInterrupted = false;
  let firstAudioAtMs: number | null = null;
  let provider = options.tts.name;
  let error: unknown;

  const stopWatching = media.onSent(({ atMs }) => {
    if (playback.playedMs === 0) return;
    firstAudioAtMs = atMs;
    stopWatching();
    onFirstAudio(atMs, provider);
  });
  const stop = (): void => {
    media.flush();
    over.abort();
  };
  signal.addEventListener('abort', stop, { once: true });
  const speaking = speakText(text, playback, {
    ...options,
    signal: AbortSignal.any([signal, over.signal]),
    onSentence: (sentence) => sentences.push(sentence),
    onVoice: (name) => {
      provider = name;
    },
  });
  speaking
    .catch((reason: unknown) => {
      if (!over.signal.aborted) error = reason;
    })
    .finally(() => {
      isWritten = true;
      playback.end();
    });

  return {
    progress: () => ({
      playedMs: playback.playedMs,
      leftMs: isWritten ? playback.bufferedMs : Number.POSITIVE_INFINITY,
    }),
    interrupt() {
      isInterrupted = true;
      stop();
    },
    done: playback.done.then(({ playedMs, interrupted }) => {
      stopWatching();
      signal.removeEventListener('abort', stop);
      // The session was closed.
      if (interrupted && !over.signal.aborted) over.abort();
      const all = sentences
        .map((sentence) => sentence.text)
        .join('')
        .trim();
      const heard = interrupted || error !== undefined ? heardText(sentences, playedMs) : all;
      const spoken = { text: heard, isInterrupted, firstAudioAtMs };
      return error === undefined ? { spoken } : { spoken, error };
    }),
  };
}
