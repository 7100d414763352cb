import { describe, expect, it } from '@jest/globals';
import { heardText, type SpokenSentence } from './heard-text.ts';

const sentence = (more: Partial<SpokenSentence> = {}): SpokenSentence => ({
  text: 'one two three four',
  startMs: 1_000,
  endMs: 3_000,
  isComplete: true,
  voice: { startMs: 1_200, endMs: 2_800 },
  words: [],
  ...more,
});

describe('heardText', () => {
  it('estimates words by the played share of the sentence', () => {
    const heard = (playedMs: number): string => heardText([sentence()], playedMs);
    expect(heard(900)).toBe('');
    expect(heard(1_250)).toBe('');
    expect(heard(1_700)).toBe('one two');
    expect(heard(2_300)).toBe('one two three');
    expect(heard(2_800)).toBe('one two three four');
  });

  it('is exact to the word if the provider reports word timing', () => {
    const words = [
      { text: 'One', startMs: 200, endMs: 1_000 },
      { text: 'two', startMs: 1_000, endMs: 1_100 },
      { text: 'three', startMs: 1_100, endMs: 1_200 },
    ];
    expect(heardText([sentence({ words })], 1_900)).toBe('one');
    expect(heardText([sentence({ words })], 2_100)).toBe('one two');
  });

  it('estimates the length of a sentence that is still being synthesized', () => {
    const started = sentence({ isComplete: false, endMs: 1_500, voice: { startMs: 1_200, endMs: 1_500 } });
    expect(heardText([started], 1_500)).toBe('one');
  });

  it('is nothing before the playback, also of a sentence whose first silence was cut', () => {
    const cut = sentence({ startMs: -180, endMs: 1_820, voice: { startMs: 40, endMs: 1_700 } });
    const words = [{ text: 'one', startMs: 0, endMs: 300 }];
    expect(heardText([cut], 0)).toBe('');
    expect(heardText([{ ...cut, words }], 0)).toBe('');
    expect(heardText([{ ...cut, endMs: 0, voice: undefined }], 0)).toBe('');
    expect(heardText([{ ...cut, words }], 10)).toBe('one');
  });

  it('includes all previous sentences', () => {
    const first = sentence({ text: 'First. ', startMs: 0, endMs: 1_000, voice: { startMs: 0, endMs: 900 } });
    expect(heardText([first, sentence()], 950)).toBe('First.');
    expect(heardText([first, sentence()], 1_700)).toBe('First. one two');
  });
});
