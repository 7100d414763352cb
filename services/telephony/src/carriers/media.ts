import type { MediaSession } from '@parley/media';

/** The media of a leg that carries text. Both functions reject with the signal's reason when it aborts. */
export type TextLine = {
  /** Resolves when the text has been spoken. */
  say(text: string, signal: AbortSignal): Promise<void>;
  /** Resolves with the human's next utterance. */
  hear(signal: AbortSignal): Promise<string>;
};

/** What a leg carries: text, or audio, which the spoken conversation converts to and from text. */
export type Media = { kind: 'text'; line: TextLine } | { kind: 'audio'; session: MediaSession };

/** The media of a carrier's legs; signalling is separate (`call-control.ts`). */
export type MediaSource = {
  /** Undefined: the leg is not in this process, or its media is not available yet (the event `media` announces it). */
  media(reference: string): Media | undefined;
};
