import { describe, expect, it } from '@jest/globals';
import { sentencesOf } from './sentences.ts';

async function* pieces(...given: string[]): AsyncGenerator<string> {
  yield* given;
}

async function cut(...given: string[]): Promise<string[]> {
  const found: string[] = [];
  for await (const sentence of sentencesOf(pieces(...given))) found.push(sentence);
  return found;
}

describe('sentences of a text that arrives in pieces', () => {
  it('end at their punctuation, wherever the input is split', async () => {
    const text = 'Good morning. How are you? I am fine! 今日はとても良い天気。また明日。';
    const expected = ['Good morning.', 'How are you?', 'I am fine!', '今日はとても良い天気。', 'また明日。'];
    expect(await cut(text)).toEqual(expected);
    expect(await cut(...text)).toEqual(expected);
  });

  it('do not end at abbreviations, ordinals and initials', async () => {
    expect(await cut('Please ask Dr. Miller on the 3. of May. Thank you.')).toEqual([
      'Please ask Dr. Miller on the 3. of May.',
      'Thank you.',
    ]);
    expect(await cut('It costs 3.50 euros today. Fine?')).toEqual(['It costs 3.50 euros today.', 'Fine?']);
  });

  it('may end at a comma in the first piece, because the human is waiting', async () => {
    const [first, ...rest] = await cut(
      'Well let me look into my calendar for next week, so that we find a day, and then I will tell you.',
    );
    expect(first).toBe('Well let me look into my calendar for next week,');
    expect(rest).toEqual(['so that we find a day, and then I will tell you.']);
  });

  it('have a maximum length, and are never empty', async () => {
    const found = await cut(`${'word '.repeat(200)}. \n\n  `);
    expect(Math.max(...found.map(({ length }) => length))).toBeLessThanOrEqual(300);
    expect(found.join(' ').replaceAll(' ', '').length).toBe(801);
    expect(found).not.toContain('');
  });

  it('are returned when no more text arrives for a while', async () => {
    let release = (): void => {};
    const waits = new Promise<void>((resolve) => {
      release = resolve;
    });
    async function* source(): AsyncGenerator<string> {
      yield 'One moment please.';
      await waits;
      yield ' Here it is.';
    }
    const sentences = sentencesOf(source());
    expect(await sentences.next()).toEqual({ done: false, value: 'One moment please.' });
    release();
    expect(await sentences.next()).toEqual({ done: false, value: 'Here it is.' });
  });
});
