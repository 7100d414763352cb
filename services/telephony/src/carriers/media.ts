import type { MediaSession } from '@parley/media';

/** A leg that carries words. Both functions reject with the signal's reason when it aborts. */
export type TextLine = {
  /** Resolves when the text has been spoken. */
  say(text: string, signal: AbortSignal): Promise<void>;
  /** Resolves with the human's next utterance. */
  hear(signal: AbortSignal): Promise<string>;
};

/** What a leg carries: words, or audio that the spoken conversation turns into words. */
export type Media = { kind: 'text'; line: TextLine } | { kind: 'audio'; session: MediaSession };

/** Media of a carrier, apart from its signalling. */
export type MediaSource = {
  /** Undefined: the leg is not in this process, or its media is not there yet (the event `media` announces it). */
  media(reference: string): Media | undefined;
};
