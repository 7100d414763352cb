import { describe, expect, it } from '@jest/globals';
import { createKeyWay } from './key-way.ts';

describe('the way in which a far end reports its keys [sip.9]', () => {
  it.each([
    ['audio', 'info'],
    ['info', 'audio'],
  ] as const)('is %s if it uses that first: %s counts for nothing then', (first, other) => {
    const way = createKeyWay();
    expect([way.counts(first), way.counts(other), way.counts(first)]).toEqual([true, false, true]);
  });

  it('is open again for another device', () => {
    const way = createKeyWay();
    expect([way.counts('audio'), way.counts('info')]).toEqual([true, false]);
    way.reset();
    expect([way.counts('info'), way.counts('audio')]).toEqual([true, false]);
  });
});
