import type { IncomingMessage } from 'node:http';
import { expect, it } from '@jest/globals';
import { hashToken } from '../sessions/tokens.ts';
import { createShareOfRequest } from './share-of-request.ts';

const TOKEN = 'x'.repeat(43);
const KEYS: Record<string, object> = {
  '#private': { type: 'private', workspaceId: 'w' },
  '#public': { type: 'public', workspaceId: 'w' },
};

const shareOf = createShareOfRequest({
  keys: { peek: (hash: string) => KEYS[hash] },
  hashOf: (key: string) => (key === '' ? undefined : `#${key}`),
  sessions: {
    peek: (hash: string) => (hash === hashToken('session', TOKEN, 'pepper') ? { personId: 'p' } : undefined),
  },
  pepper: 'pepper',
  trust: () => false,
} as unknown as Parameters<typeof createShareOfRequest>[0]);

it.each([
  ['of a known private key is its workspace', { authorization: 'Bearer private' }, 'w'],
  [
    'of a known public key is that of its workspace’s public keys',
    { authorization: 'bearer public' },
    'w public',
  ],
  ['of a known session is its person', { cookie: `a=b; parley_session=${TOKEN}` }, 'p'],
  ['of an unknown key is the network', { authorization: 'Bearer guessed' }, '192.0.2.1'],
  ['of a malformed key is the network', { authorization: 'Bearer ' }, '192.0.2.1'],
  ['of an unknown session is the network', { cookie: `parley_session=${'y'.repeat(43)}` }, '192.0.2.1'],
  ['without credentials is the network', {}, '192.0.2.1'],
])('the share of a request %s [trust.1]', (_, headers, share) => {
  expect(shareOf({ headers, socket: { remoteAddress: '192.0.2.1' } } as IncomingMessage)).toBe(share);
});
