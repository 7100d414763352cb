import { describe, expect, it } from '@jest/globals';
import { createUnknownSources } from './unknown-sources.ts';

describe('unknown sources [sip.12]', () => {
  it('are limited per second, each and together; trusted ones are known', () => {
    const unknown = createUnknownSources(() => 1);
    const asked = (source: string, times: number): number =>
      Array.from({ length: times }, () => unknown.allows(source)).filter(Boolean).length;
    expect(asked('192.0.2.1', 100)).toBe(20);
    expect(asked('192.0.2.2', 100)).toBe(20);
    const rest = Array.from({ length: 100 }, (_, n) => asked(`198.51.100.${n}`, 100));
    expect(rest.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(200 - 40 + 20);
    expect(unknown.isTrusted('192.0.2.1')).toBe(false);
    unknown.trust('192.0.2.1');
    expect(unknown.isTrusted('192.0.2.1')).toBe(true);
  });

  it('are one source within a /64 of IPv6', () => {
    const unknown = createUnknownSources(() => 1);
    const allowed = Array.from({ length: 100 }, (_, n) => unknown.allows(`2001:db8::${n}`));
    expect(allowed.filter(Boolean)).toHaveLength(20);
    expect(unknown.allows('2001:db8:0:1::1')).toBe(true);
    for (let n = 0; n < 10; n += 1) unknown.refused(`2001:db8::${n}`);
    expect([unknown.isSilenced('2001:db8::99'), unknown.isSilenced('2001:db8:0:1::1')]).toEqual([
      true,
      false,
    ]);
  });

  it('get no response after ten wrong digests, until a minute is over', () => {
    let nowMs = 1;
    const unknown = createUnknownSources(() => nowMs);
    for (let n = 0; n < 10; n += 1) {
      expect(unknown.isSilenced('192.0.2.1')).toBe(false);
      unknown.refused('192.0.2.1');
    }
    expect([unknown.isSilenced('192.0.2.1'), unknown.isSilenced('192.0.2.2')]).toEqual([true, false]);
    nowMs += 59_000;
    expect(unknown.isSilenced('192.0.2.1')).toBe(true);
    nowMs += 2_000;
    expect(unknown.isSilenced('192.0.2.1')).toBe(false);
  });
});
