import { describe, expect, it } from '@jest/globals';
import { steady } from './steady.ts';

type Item = { id: string; count: number };
const keyOf = ({ id }: Item) => id;
const of = (id: string): Item => ({ id, count: 1 });
const [a, b, c] = [of('a'), of('b'), of('c')] as const;

describe('items that stay in their place', () => {
  const { held } = steady(undefined, [a, b], keyOf);

  it('are at first all there are', () => {
    expect([...held.values()]).toEqual([a, b]);
  });

  it('change where they are, and stay when they are gone [dashboard.76]', () => {
    const changed = { id: 'b', count: 2 };
    const next = steady(held, [changed], keyOf);
    expect([...next.held.values()]).toEqual([a, changed]);
    expect(next).toMatchObject({ hasNew: false, hasGone: true });
  });

  it('do not include what is new, which is said [dashboard.76]', () => {
    const next = steady(held, [c, b, a], keyOf);
    expect(next).toEqual({ held, hasNew: true, hasGone: false });
    // The same object: nothing is rendered again.
    expect(next.held).toBe(held);
  });
});
