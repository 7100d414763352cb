import type { IncomingMessage } from 'node:http';
import { expect, it } from '@jest/globals';
import { parseCidr } from '@parley/kit/outbound';
import { hashToken } from '../sessions/tokens.ts';
import { createShareOfRequest } from './share-of-request.ts';

const TOKEN = 'x'.repeat(43);
const UNDECIDED = 'z'.repeat(43);
const OVER = 'o'.repeat(43);
const IDLE = 'i'.repeat(43);
const NOW = new Date(10_000_000);
const LONG_AGO = new Date(0);
const NEW = { lastSeenAt: NOW, expiresAt: new Date(20_000_000) };
const hashOfSession = (token: string) => hashToken('session', token, 'pepper');
const SESSIONS: Record<string, object> = {
  [hashOfSession(TOKEN)]: { ...NEW, personId: 'p', member: { workspaceId: 'w' } },
  [hashOfSession(UNDECIDED)]: { ...NEW, personId: 'p', member: null },
  [hashOfSession(OVER)]: { ...NEW, personId: 'p', member: { workspaceId: 'w' }, expiresAt: NOW },
  [hashOfSession(IDLE)]: { ...NEW, personId: 'p', member: { workspaceId: 'w' }, lastSeenAt: LONG_AGO },
};
const PAGE = 'https://shop.example';
const PRIVATE = { type: 'private', workspaceId: 'w', isActive: true, expiresAt: null, settings: {} };
const PUBLIC = { ...PRIVATE, type: 'public' };
const KEYS: Record<string, object> = {
  '#private': PRIVATE,
  '#revoked': { ...PRIVATE, isActive: false },
  '#expired': { ...PRIVATE, expiresAt: NOW },
  '#here': { ...PRIVATE, expiresAt: NEW.expiresAt, networks: [parseCidr('192.0.2.0/24')] },
  '#elsewhere': { ...PRIVATE, networks: [parseCidr('198.51.100.0/24')] },
  '#public': PUBLIC,
  '#revoked-public': { ...PUBLIC, isActive: false },
  '#public-of-page': { ...PUBLIC, settings: { allowed_origins: [PAGE] } },
};

const shareOf = createShareOfRequest({
  keys: { peek: (hash: string) => KEYS[hash] },
  hashOf: (key: string) => (key === '' ? undefined : `#${key}`),
  sessions: { peek: (hash: string) => SESSIONS[hash] },
  sessionLife: { idleMs: 3_600_000, absoluteMs: 24 * 3_600_000 },
  clock: { now: () => NOW },
  pepper: 'pepper',
  trust: () => false,
} as unknown as Parameters<typeof createShareOfRequest>[0]);

const ADDRESS = '192.0.2.1';
const OWN = ['workspaces', 'w'];
const VISITORS = ['public', 'keys', 'w', ADDRESS];
const NETWORK = ['public', 'others', ADDRESS];

it.each([
  ['of a known private key is its workspace', { authorization: 'Bearer private' }, OWN],
  ['of a private key within its networks is its workspace', { authorization: 'Bearer here' }, OWN],
  ['of a private key outside of its networks is the network', { authorization: 'Bearer elsewhere' }, NETWORK],
  ['of a revoked private key is the network', { authorization: 'Bearer revoked' }, NETWORK],
  ['of an expired private key is the network', { authorization: 'Bearer expired' }, NETWORK],
  [
    'of a known public key is the network among the visitors of its workspace',
    { authorization: 'bearer public' },
    VISITORS,
  ],
  [
    'of a public key on one of its pages is the network among the visitors of its workspace',
    { authorization: 'Bearer public-of-page', origin: PAGE },
    VISITORS,
  ],
  [
    'of a public key on another page is the network',
    { authorization: 'Bearer public-of-page', origin: 'https://other.example' },
    NETWORK,
  ],
  ['of a revoked public key is the network', { authorization: 'Bearer revoked-public' }, NETWORK],
  [
    'of a known session is that of the people of its workspace',
    { cookie: `a=b; parley_session=${TOKEN}` },
    ['workspaces', 'w people'],
  ],
  [
    'of a session without a selected workspace is its person',
    { cookie: `parley_session=${UNDECIDED}` },
    ['public', 'others', 'p'],
  ],
  ['of an expired session is the network', { cookie: `parley_session=${OVER}` }, NETWORK],
  ['of an idle session is the network', { cookie: `parley_session=${IDLE}` }, NETWORK],
  ['of an unknown key is the network', { authorization: 'Bearer guessed' }, NETWORK],
  ['of a malformed key is the network', { authorization: 'Bearer ' }, NETWORK],
  ['of an unknown session is the network', { cookie: `parley_session=${'y'.repeat(43)}` }, NETWORK],
  ['without credentials is the network', {}, NETWORK],
])('the share of a request %s [trust.1]', (_, headers, share) => {
  expect(shareOf({ headers, socket: { remoteAddress: ADDRESS } } as IncomingMessage)).toEqual(share);
});
