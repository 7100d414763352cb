import { type MediaSession, msOf } from '@parley/media';
import { heardText } from '../voice/heard-text.ts';

export type LiveSpoken = { text: string; isInterrupted: boolean; firstAudioAtMs: number | null };

/** One answer of a model: its audio is played as it arrives, and its text is limited to the words that were heard. */
export type LiveAnswer = {
  readonly id: string;
  /** All its audio has arrived. */
  readonly isComplete: boolean;
  /** All audio so far has been played. */
  readonly isDry: boolean;
  readonly playedMs: number;
  write(samples: Int16Array): void;
  say(text: string): void;
  /** No more audio follows. */
  end(): void;
  /** Silences this and all other answers from the next frame on. */
  interrupt(): void;
  /** Resolves when it is over; never rejects. */
  readonly done: Promise<LiveSpoken>;
};

type Options = {
  id: string;
  sampleRate: number;
  /** Its first audio was sent to the human; its words may come later. */
  onFirstAudio: (atMs: number) => void;
  /** It has more words. */
  onWords: (text: string) => void;
};

export function startLiveAnswer(media: MediaSession, options: Options): LiveAnswer {
  const { id, sampleRate, onFirstAudio, onWords } = options;
  const playback = media.play();
  let text = '';
  let writtenMs = 0;
  let isComplete = false;
  let isInterrupted = false;
  let firstAudioAtMs: number | null = null;

  const stopWatching = media.onSent(({ atMs }) => {
    if (playback.playedMs === 0) return;
    firstAudioAtMs = atMs;
    stopWatching();
    onFirstAudio(atMs);
  });

  /** Words that were never played are not heard, even if nothing interrupted them. */
  const heard = (playedMs: number, wasCutOff: boolean): string => {
    if (playedMs === 0) return '';
    if (!wasCutOff) return text.trim();
    const voice = { startMs: 0, endMs: writtenMs };
    return heardText([{ text, startMs: 0, endMs: writtenMs, isComplete, voice, words: [] }], playedMs);
  };

  return {
    id,
    get isComplete() {
      return isComplete;
    },
    get isDry() {
      return playback.bufferedMs === 0;
    },
    get playedMs() {
      return playback.playedMs;
    },
    write: (samples) => {
      writtenMs += msOf(samples.length, sampleRate);
      playback.write(samples, sampleRate);
    },
    say: (more) => {
      text += more;
      onWords(text);
    },
    end: () => {
      isComplete = true;
      playback.end();
    },
    interrupt: () => {
      isInterrupted = true;
      media.flush();
    },
    done: playback.done.then(({ playedMs, interrupted }) => {
      stopWatching();
      return { text: heard(playedMs, interrupted), isInterrupted, firstAudioAtMs };
    }),
  };
}
