import { describe, expect, it } from '@jest/globals';
import { createTurns } from './turns.ts';

/** Work that goes on until it is told to end. */
function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe('turns', () => {
  it('are taken one after the other under one key, in the order of asking, also after a failure', async () => {
    const turns = createTurns(1_000);
    const { open, opened } = gate();
    const done: number[] = [];
    const all = [
      turns('a', () => opened.then(() => Promise.reject(new Error('failed')))),
      ...[1, 2, 3].map((i) => turns('a', async () => void done.push(i))),
    ];
    await turns('b', async () => void done.push(0));
    expect(done).toEqual([0]);
    open();
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
    expect(done).toEqual([0, 1, 2, 3]);
  });

  it('end in CONFLICT when they do not come in time, and nobody overtakes whoever is still at work', async () => {
    const turns = createTurns(20);
    const { open, opened } = gate();
    const slow = turns('a', () => opened);
    await expect(turns('a', async () => {})).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(turns('a', async () => {})).rejects.toMatchObject({ code: 'CONFLICT' });
    open();
    await slow;
    await expect(turns('a', async () => 'mine')).resolves.toBe('mine');
  });
});
