import { describe, expect, it } from '@jest/globals';
import { networkOf } from './limit-open.ts';

describe('the address of whoever asks without a key', () => {
  it('is counted as it is, however IPv4 is written', () => {
    expect(networkOf('192.0.2.7')).toBe('192.0.2.7');
    expect(networkOf('::ffff:192.0.2.7')).toBe('192.0.2.7');
  });

  it('is its network of 64 bits, with IPv6', () => {
    expect(networkOf('2001:db8::1')).toBe(networkOf('2001:db8:0:0:ffff::2'));
    expect(networkOf('2001:db8::1')).not.toBe(networkOf('2001:db8:0:1::1'));
  });

  it('is one of its own when it is none', () => {
    expect(networkOf('unknown')).toBe('unknown');
  });
});
