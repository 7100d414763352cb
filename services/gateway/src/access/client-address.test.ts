import type { IncomingMessage } from 'node:http';
import { expect, it } from '@jest/globals';
import { addressOf } from './client-address.ts';

const from = (remoteAddress: string, forwardedFor?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
  }) as unknown as IncomingMessage;
const trust = (address: string) => address.startsWith('10.');

it.each([
  [
    'who connects, whatever they say, unless they are a trusted proxy',
    from('192.0.2.1', '192.0.2.9'),
    '192.0.2.1',
  ],
  ['whom a trusted proxy names', from('10.0.0.1', '192.0.2.9'), '192.0.2.9'],
  ['a trusted proxy that names nobody', from('10.0.0.1'), '10.0.0.1'],
  ['the nearest who is no trusted proxy', from('10.0.0.1', '192.0.2.8, 192.0.2.9 ,10.0.0.2'), '192.0.2.9'],
  ['the farthest, where all are trusted', from('10.0.0.1', '10.0.0.3, 10.0.0.2'), '10.0.0.3'],
])('the address of a request is that of %s', (_what, req, address) => {
  expect(addressOf(req, trust)).toBe(address);
});
