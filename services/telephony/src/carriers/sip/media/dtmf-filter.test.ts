import { describe, expect, it } from '@jest/globals';
import { createDtmfFilter } from './dtmf-filter.ts';

describe('keys that a far end reports in two ways [sip.9]', () => {
  it.each([
    ['audio', 'info'],
    ['info', 'audio'],
  ] as const)('count by %s if that comes first, and not by %s', (first, other) => {
    const filter = createDtmfFilter();
    expect([filter.accepts(first), filter.accepts(other), filter.accepts(first)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('count in either way again after a reset', () => {
    const filter = createDtmfFilter();
    expect([filter.accepts('audio'), filter.accepts('info')]).toEqual([true, false]);
    filter.reset();
    expect([filter.accepts('info'), filter.accepts('audio')]).toEqual([true, false]);
  });
});
