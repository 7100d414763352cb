import { msOf, type Playback } from '@parley/media';
import type { TextToSpeech } from '../ports.ts';
import { checkReply } from '../reply-limits.ts';
import type { SpokenSentence } from './heard-text.ts';
import { AUDIBLE, createLeadIn } from './lead-in.ts';
import { sentencesOf } from './sentences.ts';
import { spokenForm } from './spoken-form.ts';

/** The next sentence is synthesized when less than this is left to play: early enough for a slow provider, and an interruption wastes little. */
const AHEAD_MS = 3_000;
/** The rest of a sentence is read as fast as it arrives, since its total length is needed to determine the heard words. */
const MAX_SENTENCE_MS = 20_000;
const BLOCK_MS = 10;

export type SpeakOptions = {
  tts: TextToSpeech;
  voiceId?: string;
  speed?: number;
  language: string;
  signal: AbortSignal;
  /** Called when the first text has arrived. */
  onText: () => void;
  /** Called with the name of the provider whose audio is the first of the text. */
  onVoice: (provider: string) => void;
  /** Called with each sentence as its synthesis begins; it is updated as its audio arrives. */
  onSentence: (sentence: SpokenSentence) => void;
};

/**
 * Synthesizes a text sentence by sentence into a playback, without ending it. Resolves when all audio is written. Rejects with the signal's
 * reason, the error of the text, or SpeechError.
 */
export async function speakText(
  text: string | AsyncIterable<string>,
  playback: Playback,
  options: SpeakOptions,
): Promise<void> {
  const { signal, onText, onSentence } = options;
  let writtenMs = 0;
  let hasText = false;
  let hasVoice = false;
  const onVoice = (provider: string): void => {
    if (!hasVoice) options.onVoice(provider);
    hasVoice = true;
  };
  for await (const piece of sentencesOf(text)) {
    if (!hasText) onText();
    hasText = true;
    await playback.ready(AHEAD_MS);
    signal.throwIfAborted();
    const sentence: SpokenSentence = {
      text: piece,
      startMs: writtenMs,
      endMs: writtenMs,
      isComplete: false,
      voice: undefined,
      words: [],
    };
    onSentence(sentence);
    if (isSpoken(piece)) await speakSentence(sentence, playback, { ...options, onVoice });
    sentence.isComplete = true;
    writtenMs = sentence.endMs;
  }
}

/** What a provider is asked to speak first of this text; undefined: nothing. */
export async function firstSpokenOf(text: string, language: string): Promise<string | undefined> {
  for await (const piece of sentencesOf(text)) {
    const spoken = isSpoken(piece) ? spokenForm(piece, language) : '';
    return isSpoken(spoken) ? spoken : undefined;
  }
  return undefined;
}

/** Formatting alone has no sound. */
const isSpoken = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

async function speakSentence(
  sentence: SpokenSentence,
  playback: Playback,
  options: SpeakOptions,
): Promise<void> {
  const { tts, voiceId, speed, language, signal } = options;
  const spoken = spokenForm(sentence.text, language);
  if (!isSpoken(spoken)) return;
  let provider = tts.name;
  const audio = tts.speak(oneText(spoken), {
    ...(voiceId !== undefined && { voiceId }),
    ...(speed !== undefined && { speed }),
    language,
    signal,
    onWord: (word) => sentence.words.push(word),
    onRestart: () => sentence.words.splice(0),
    onProvider: (name) => {
      provider = name;
    },
  });
  // Between sentences it is their pause.
  const withoutLeadIn = sentence.startMs === 0 ? createLeadIn(tts.sampleRate) : undefined;
  for await (const received of audio) {
    signal.throwIfAborted();
    const samples = withoutLeadIn?.(received) ?? received;
    // The times of words count from the beginning of the uncut audio.
    sentence.startMs -= msOf(received.length - samples.length, tts.sampleRate);
    if (samples.length > 0) options.onVoice(provider);
    playback.write(samples, tts.sampleRate);
    noteVoice(sentence, samples, tts.sampleRate);
    sentence.endMs += msOf(samples.length, tts.sampleRate);
    checkReply(provider, { audioMs: sentence.endMs });
    await playback.ready(MAX_SENTENCE_MS);
  }
  signal.throwIfAborted();
}

/** Extends the part of the sentence that is not silent. */
function noteVoice(sentence: SpokenSentence, samples: Int16Array, sampleRate: number): void {
  const block = Math.round((BLOCK_MS * sampleRate) / 1_000);
  for (let start = 0; start < samples.length; start += block) {
    const end = Math.min(start + block, samples.length);
    let isAudible = false;
    for (let i = start; i < end && !isAudible; i += 1) isAudible = Math.abs(samples[i] ?? 0) > AUDIBLE;
    if (!isAudible) continue;
    const endMs = sentence.endMs + msOf(end, sampleRate);
    sentence.voice ??= { startMs: sentence.endMs + msOf(start, sampleRate), endMs };
    sentence.voice.endMs = endMs;
  }
}

async function* oneText(text: string): AsyncGenerator<string> {
  yield text;
}
