/** One piece of recognized speech. Times are milliseconds of audio since the stream was opened. */
export type Recognition = {
  text: string;
  /** Interim words replace the interim words before them; final words never change. */
  isFinal: boolean;
  /** 0 to 1; null: the provider gives none. */
  confidence: number | null;
  startMs: number;
  endMs: number;
  /** Which of several providers recognized it; undefined: the one of the stream. */
  provider?: string;
};

/** Recognizes the speech of one call. Audio is mono PCM at `sampleRate`. */
export type SpeechStream = {
  push(samples: Int16Array): void;
  /** Requests the final words of all pushed audio, because the human has stopped speaking. Resolves when they have arrived. */
  flush(): Promise<void>;
  /** Length of the audio of pending flushes, if recognition starts at the flush (see `wordsTimeoutMs`). Undefined: it starts when audio is pushed. */
  readonly flushingMs?: number;
  close(): void;
};

export type SpeechToText = {
  readonly name: string;
  /** The sample rate of the audio to push. */
  readonly sampleRate: number;
  /** The minimum sample rate of a line; speech of narrower lines is not recognized. Undefined: telephone audio is sufficient. */
  readonly minLineRate?: number;
  /** Whether it retries failures once itself. */
  readonly repeats?: boolean;
  /** The same provider for the line's own sample rate, if it supports that: resampling would only cost CPU time. */
  forLine?(sampleRate: number): SpeechToText;
  /**
   * Opens a stream. When it fails for good it calls `onError` once and is closed. `phrases`: words that are likely to
   * be said.
   */
  open(options: {
    /** BCP 47. */
    language: string;
    /** The provider's model; undefined: its default. */
    model?: string;
    phrases?: readonly string[];
    onResult: (result: Recognition) => void;
    onError: (error: SpeechError) => void;
  }): SpeechStream;
};

/** A word of a spoken text, as written there, in order. Times are milliseconds of the audio of this text. */
export type SpokenWord = { text: string; startMs: number; endMs: number };

export type TextToSpeech = {
  readonly name: string;
  /** The sample rate of its audio. */
  readonly sampleRate: number;
  /** Whether it retries a request once itself if that fails before its first audio. */
  readonly repeats?: boolean;
  /**
   * Speaks a text as it arrives. Yields mono PCM as early as possible. Stops within 20 ms when the signal aborts, and rejects with its
   * reason. Rejects with SpeechError if the provider fails.
   */
  speak(
    text: AsyncIterable<string>,
    options: {
      /** The provider's id of the voice; undefined: its default. */
      voiceId?: string;
      /** 0.5 to 2. */
      speed?: number;
      /** BCP 47. */
      language: string;
      signal: AbortSignal;
      /** Called by providers with word timing, before or soon after the audio of the word is yielded. */
      onWord?: (word: SpokenWord) => void;
      /** Called before the text is spoken again after a failure: the words so far don't count. */
      onRestart?: () => void;
      /** Called with the name of one of several providers, before its audio is yielded. */
      onProvider?: (name: string) => void;
    },
  ): AsyncIterable<Int16Array>;
};

/** Why a provider failed. `credentials` and `request`: retrying does not help. */
export type SpeechErrorKind =
  | 'credentials'
  | 'request'
  | 'rate_limit'
  | 'unavailable'
  | 'protocol'
  | 'timeout';

export class SpeechError extends Error {
  readonly provider: string;
  readonly kind: SpeechErrorKind;
  /** Its message without the provider. */
  readonly reason: string;

  constructor(provider: string, kind: SpeechErrorKind, reason: string, options?: { cause?: unknown }) {
    super(`${provider}: ${reason}`, options);
    this.name = 'SpeechError';
    this.provider = provider;
    this.kind = kind;
    this.reason = reason;
  }
}
