import { describe, expect, it } from '@jest/globals';
import { guessNetworkOf, networkOf } from './networks.ts';

describe('the network of an anonymous caller', () => {
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
    expect(guessNetworkOf('unknown')).toBe('unknown');
  });
});

it('guesses at a password count together within 256 IPv4 addresses', () => {
  expect(guessNetworkOf('192.0.2.7')).toBe('192.0.2.0/24');
  expect(guessNetworkOf('::ffff:192.0.2.250')).toBe('192.0.2.0/24');
  expect(guessNetworkOf('192.0.3.7')).toBe('192.0.3.0/24');
  expect(guessNetworkOf('2001:db8::1')).toBe(networkOf('2001:db8::ffff'));
});
