import { describe, expect, it } from '@jest/globals';
import { networkOf } from './ip-address.ts';

describe('the network of a host', () => {
  it('is its address, for IPv4 in any notation', () => {
    expect(networkOf('192.0.2.7')).toBe('192.0.2.7');
    expect(networkOf('::ffff:192.0.2.7')).toBe('192.0.2.7');
  });

  it('is its /64 network, for IPv6', () => {
    expect(networkOf('2001:db8::1')).toBe(networkOf('2001:db8:0:0:ffff::2'));
    expect(networkOf('2001:db8::1')).not.toBe(networkOf('2001:db8:0:1::1'));
  });

  it('is a network of its own for an invalid address', () => {
    expect(networkOf('unknown')).toBe('unknown');
  });
});
