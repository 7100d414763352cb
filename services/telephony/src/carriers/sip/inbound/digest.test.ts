import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { IncomingRequestMessage } from 'sip.js/lib/core/index.js';
import { createDigest } from './digest.ts';
import { type CalledTrunk, createFindCaller, type Source } from './find-caller.ts';

const NUMBER = '+12025550123';
const OTHER = '+12025550124';
const STRANGE: Source = { address: '198.51.100.9', transport: 'tcp' };
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

const numberOf = (phoneNumber: string, transport: 'tcp' | 'tls' = 'tcp'): CalledTrunk => ({
  numberId: phoneNumber,
  workspaceId: 'workspace',
  phoneNumber,
  isActive: true,
  trunk: {
    host: 'sip.example.com',
    port: null,
    transport,
    credentials: { username: 'alice', password: 'wonderland' },
  },
});

function door(transport: 'tcp' | 'tls' = 'tcp') {
  let nowMs = 0;
  const findCaller = createFindCaller({
    findTrunks: async (number) => [numberOf(number, transport)],
    addressesOf: async () => [],
    digest: createDigest({ secret: 'secret', nowMs: () => nowMs }),
  });
  const call = (to: string, callId: string, authorization?: string, source = STRANGE) =>
    findCaller(
      {
        method: 'INVITE',
        ruri: { user: to },
        to: { uri: { user: to } },
        callId,
        fromTag: 'tag',
        getHeader: () => authorization,
      } as unknown as IncomingRequestMessage,
      source,
    );
  const ask = async (): Promise<string> => {
    const caller = await call(NUMBER, 'asks');
    return /nonce="([^"]+)"/.exec(caller.type === 'unknown' ? caller.challenge : '')?.[1] ?? '';
  };
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { call, ask, pass };
}

function answer(
  nonce: string,
  uri = `sip:${NUMBER}@parley`,
  password = 'wonderland',
  nc = '00000001',
  cnonce = 'c',
): string {
  const [first, second] = [md5(`alice:parley:${password}`), md5(`INVITE:${uri}`)];
  const response = md5(`${first}:${nonce}:${nc}:${cnonce}:auth:${second}`);
  return `Digest username="alice", realm="parley", nonce="${nonce}", uri="${uri}", qop=auth, nc=${nc}, cnonce="${cnonce}", response="${response}"`;
}

describe('a digest of a call that comes in [sip.12]', () => {
  it('lets the call in, also once more when it comes by another way, and no other call', async () => {
    const { call, ask } = door();
    const authorization = answer(await ask());
    expect(await call(NUMBER, 'one', authorization)).toMatchObject({ type: 'known' });
    expect(await call(NUMBER, 'one', authorization)).toMatchObject({ type: 'known' });
    const replay = await call(NUMBER, 'two', authorization);
    expect(replay).toMatchObject({ type: 'unknown', challenge: expect.stringContaining('stale=true') });
  });

  it('may use a nonce again by counting', async () => {
    const { call, ask } = door();
    const nonce = await ask();
    expect(await call(NUMBER, 'one', answer(nonce))).toMatchObject({ type: 'known' });
    const next = answer(nonce, undefined, undefined, '00000002');
    expect(await call(NUMBER, 'two', next)).toMatchObject({ type: 'known' });
  });

  it('may answer the same challenge as another call of the same second', async () => {
    const { call, ask } = door();
    const nonce = await ask();
    expect(await ask()).toBe(nonce);
    expect(await call(NUMBER, 'one', answer(nonce))).toMatchObject({ type: 'known' });
    const other = answer(nonce, undefined, undefined, '00000001', 'd');
    expect(await call(NUMBER, 'two', other)).toMatchObject({ type: 'known' });
    expect(await call(NUMBER, 'three', other)).toMatchObject({ type: 'unknown' });
  });

  it('of an old challenge gets another one, which says that only the nonce was wrong', async () => {
    const { call, ask, pass } = door();
    const authorization = answer(await ask());
    pass(62_000);
    const late = await call(NUMBER, 'one', authorization);
    expect(late).toMatchObject({ type: 'unknown', challenge: expect.stringContaining('stale=true') });
    expect(await call(NUMBER, 'one')).toMatchObject({ challenge: expect.not.stringContaining('stale') });
  });

  it('of another number, or with a wrong password, is refused', async () => {
    const { call, ask } = door();
    const nonce = await ask();
    expect(await call(OTHER, 'one', answer(nonce))).toEqual({ type: 'refused' });
    expect(await call(NUMBER, 'one', answer(nonce, undefined, 'other'))).toEqual({ type: 'refused' });
    expect(await call(NUMBER, 'one', answer(nonce, 'sip:parley:5060'))).toMatchObject({ type: 'known' });
  });

  it('must come by TLS if the trunk uses it', async () => {
    const { call, ask } = door('tls');
    const authorization = answer(await ask());
    expect(await call(NUMBER, 'one', authorization)).toEqual({ type: 'refused' });
    const byTls = { ...STRANGE, transport: 'tls' };
    expect(await call(NUMBER, 'one', authorization, byTls)).toMatchObject({ type: 'known' });
  });
});
