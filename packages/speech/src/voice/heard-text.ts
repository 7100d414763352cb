import type { SpokenWord } from '../ports.ts';

/** A sentence and its audio within one playback. Times are milliseconds of the playback. */
export type SpokenSentence = {
  text: string;
  startMs: number;
  /** End of its audio so far. */
  endMs: number;
  isComplete: boolean;
  /** The part of its audio that is not silent; undefined until there is one. */
  voice: { startMs: number; endMs: number } | undefined;
  /** Empty if the provider reports no word timing. */
  words: SpokenWord[];
};

/** Milliseconds of ordinary speech per unit (a character): estimates the length of incomplete audio. */
const MS_PER_UNIT = 65;
/** The pause at a punctuation mark, in units. */
const MARK_UNITS = 3;

/** The words that have been heard after `playedMs` of the playback. */
export function heardText(sentences: readonly SpokenSentence[], playedMs: number): string {
  let heard = '';
  const pace = paceOf(sentences);
  for (const sentence of sentences) {
    // Its time begins before the playback if silence was cut from it.
    if (playedMs <= Math.max(0, sentence.startMs)) break;
    if (sentence.isComplete && playedMs >= (sentence.voice?.endMs ?? sentence.endMs)) {
      heard += sentence.text;
      continue;
    }
    heard += sentence.text.slice(0, heardLength(sentence, playedMs, pace));
    break;
  }
  return heard.trim();
}

function heardLength(sentence: SpokenSentence, playedMs: number, pace: number): number {
  if (sentence.words.length > 0) return lengthByWords(sentence, playedMs);
  return lengthByShare(sentence, playedMs, pace);
}

/** Milliseconds of a unit in the sentences whose audio is complete. */
function paceOf(sentences: readonly SpokenSentence[]): number {
  let [units, durationMs] = [0, 0];
  for (const { text, voice, isComplete } of sentences) {
    if (!isComplete || !voice) continue;
    units += wordsWithUnits(text).at(-1)?.untilUnits ?? 0;
    durationMs += voice.endMs - voice.startMs;
  }
  return units > 0 ? durationMs / units : MS_PER_UNIT;
}

function lengthByWords({ text, words, startMs }: SpokenSentence, playedMs: number): number {
  const folded = text.toLowerCase();
  let length = 0;
  for (const word of words) {
    if (startMs + (word.startMs + word.endMs) / 2 > playedMs) break;
    const at = folded.indexOf(word.text.toLowerCase().trim(), length);
    if (at >= 0) length = at + word.text.trim().length;
  }
  return length;
}

/** Estimates the heard words by the played share of the sentence: each character takes equally long, punctuation marks longer. */
function lengthByShare(
  { text, startMs, voice, isComplete }: SpokenSentence,
  playedMs: number,
  pace: number,
): number {
  if (!voice || playedMs <= voice.startMs) return 0;
  const words = wordsWithUnits(text);
  const units = words.at(-1)?.untilUnits ?? 0;
  const knownMs = voice.endMs - voice.startMs;
  const durationMs = isComplete ? knownMs : Math.max(knownMs, units * pace);
  const playedUnits = (units * (playedMs - Math.max(startMs, voice.startMs))) / Math.max(1, durationMs);
  // A word counts as heard from its middle on.
  return words.findLast(({ middleUnits }) => middleUnits <= playedUnits)?.end ?? 0;
}

function wordsWithUnits(text: string): { end: number; middleUnits: number; untilUnits: number }[] {
  const words: { end: number; middleUnits: number; untilUnits: number }[] = [];
  let units = 0;
  for (const { segment, index, isWordLike } of new Intl.Segmenter(undefined, {
    granularity: 'word',
  }).segment(text)) {
    if (!isWordLike) {
      if (/[,;:.!?–—…]/u.test(segment)) units += MARK_UNITS;
      continue;
    }
    // Digits are spoken as words, which take longer.
    const length = segment.length + 3 * (segment.match(/\p{N}/gu)?.length ?? 0);
    words.push({ end: index + segment.length, middleUnits: units + length / 2, untilUnits: units + length });
    units += length + 1;
  }
  return words;
}
