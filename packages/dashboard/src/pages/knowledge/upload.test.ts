import { describe, expect, it } from '@jest/globals';
import { addText, type Progress } from './upload.ts';

const base = { baseId: 'base', title: 'Book' };
const LONG = 'A sentence of a book. '.repeat(200_000);

describe('a text for a knowledge base', () => {
  it('that is too long becomes several documents, and goes on where it has failed [dashboard.67]', async () => {
    const titles: string[] = [];
    const keys: string[] = [];
    let failsAt = 3;
    const add = async (
      _: string,
      { title }: { title: string },
      { idempotencyKey }: { idempotencyKey: string },
    ) => {
      keys.push(idempotencyKey);
      if (titles.length + 1 === failsAt) throw new Error('unavailable');
      titles.push(title);
    };
    let last: Progress = { added: 0, parts: 0 };
    const send = (from: number) =>
      addText(
        {
          ...base,
          text: LONG,
          from,
          idempotencyKey: 'upload',
          onProgress: (progress) => {
            last = progress;
          },
        },
        add,
      );
    await expect(send(0)).rejects.toThrow('unavailable');
    expect(last.added).toBe(2);
    expect(last.parts).toBeGreaterThan(3);
    failsAt = 0;
    await send(last.added);
    // None twice, none missing.
    expect(keys.slice(0, 5)).toEqual(['upload:0', 'upload:1', 'upload:2', 'upload:2', 'upload:3']);
    expect(titles).toEqual(Array.from({ length: last.parts }, (_, i) => `Book (${i + 1} of ${last.parts})`));
  });
});
