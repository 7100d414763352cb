import { expect, it } from '@jest/globals';
import { guessNetworkOf } from './networks.ts';

it('guesses at a password count together within 256 IPv4 addresses, or a /64 of IPv6', () => {
  expect(guessNetworkOf('192.0.2.7')).toBe('192.0.2.0/24');
  expect(guessNetworkOf('::ffff:192.0.2.250')).toBe('192.0.2.0/24');
  expect(guessNetworkOf('192.0.3.7')).toBe('192.0.3.0/24');
  expect(guessNetworkOf('2001:db8::1')).toBe(guessNetworkOf('2001:db8::ffff'));
  expect(guessNetworkOf('unknown')).toBe('unknown');
});
