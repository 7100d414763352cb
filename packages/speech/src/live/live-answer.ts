import { type MediaSession, msOf } from '@parley/media';
import { checkReply } from '../reply-limits.ts';
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
  /** Audio that waits to be played, and at least 2 ms for each piece of it: small ones take as much memory. */
  readonly waitingMs: number;
  /** This and `say` throw SpeechError if the answer is too long. */
  write(samples: Int16Array): void;
  say(text: string): void;
  /** No more audio follows. */
  end(): void;
  /** Silences this and all other answers from the next frame on. */
  interrupt(): void;
  /** Resolves when it is over; never rejects. */
  readonly done: Promise<LiveSpoken>;
};

const MIN_PIECE_MS = 2;

type Options = {
  id: string;
  provider: string;
  sampleRate: number;
  /** Its first audio was sent to the human; its words may come later. */
  onFirstAudio: (atMs: number) => void;
  /** It has more words. */
  onWords: (text: string) => void;
};

export function startLiveAnswer(media: MediaSession, options: Options): LiveAnswer {
  const { id, provider, sampleRate, onFirstAudio, onWords } = options;
  const playback = media.play();
  let text = '';
  let writtenMs = 0;
  /** Above `writtenMs` if its pieces are small. */
  let chargedMs = 0;
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
    get waitingMs() {
      return playback.bufferedMs === 0 ? 0 : chargedMs - playback.playedMs;
    },
    write: (samples) => {
      const ms = msOf(samples.length, sampleRate);
      checkReply(provider, { audioMs: writtenMs + ms });
      writtenMs += ms;
      chargedMs += Math.max(ms, MIN_PIECE_MS);
      playback.write(samples, sampleRate);
    },
    say: (more) => {
      checkReply(provider, { characters: text.length + more.length });
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
