import type { IncomingMessage } from 'node:http';
import { expect, it } from '@jest/globals';
import { hashToken } from '../sessions/tokens.ts';
import { createShareOfRequest } from './share-of-request.ts';

const TOKEN = 'x'.repeat(43);
const UNDECIDED = 'z'.repeat(43);
const hashOfSession = (token: string) => hashToken('session', token, 'pepper');
const SESSIONS: Record<string, object> = {
  [hashOfSession(TOKEN)]: { personId: 'p', member: { workspaceId: 'w' } },
  [hashOfSession(UNDECIDED)]: { personId: 'p', member: null },
};
const KEYS: Record<string, object> = {
  '#private': { type: 'private', workspaceId: 'w' },
  '#public': { type: 'public', workspaceId: 'w' },
};

const shareOf = createShareOfRequest({
  keys: { peek: (hash: string) => KEYS[hash] },
  hashOf: (key: string) => (key === '' ? undefined : `#${key}`),
  sessions: { peek: (hash: string) => SESSIONS[hash] },
  pepper: 'pepper',
  trust: () => false,
} as unknown as Parameters<typeof createShareOfRequest>[0]);

const ofWorkspace = (name: string) => ({ name, ofWorkspace: true });
const ofOther = (name: string) => ({ name, ofWorkspace: false });
const NETWORK = ofOther('192.0.2.1');

it.each([
  ['of a known private key is its workspace', { authorization: 'Bearer private' }, ofWorkspace('w')],
  [
    'of a known public key is that of its workspace’s public keys',
    { authorization: 'bearer public' },
    ofWorkspace('w public'),
  ],
  [
    'of a known session is that of the people of its workspace',
    { cookie: `a=b; parley_session=${TOKEN}` },
    ofWorkspace('w people'),
  ],
  [
    'of a session without a selected workspace is its person',
    { cookie: `parley_session=${UNDECIDED}` },
    ofOther('p'),
  ],
  ['of an unknown key is the network', { authorization: 'Bearer guessed' }, NETWORK],
  ['of a malformed key is the network', { authorization: 'Bearer ' }, NETWORK],
  ['of an unknown session is the network', { cookie: `parley_session=${'y'.repeat(43)}` }, NETWORK],
  ['without credentials is the network', {}, NETWORK],
])('the share of a request %s [trust.1]', (_, headers, share) => {
  expect(shareOf({ headers, socket: { remoteAddress: '192.0.2.1' } } as IncomingMessage)).toEqual(share);
});
