import { describe, expect, it } from '@jest/globals';
import { parseCidr } from '@parley/kit/outbound';
import type { IncomingRequestMessage } from 'sip.js/lib/core/index.js';
import type { Trunk } from '../trunk.ts';
import { createDigest } from './digest.ts';
import { type CalledTrunk, createFindCaller } from './find-caller.ts';

const NUMBER = '+12025550123';
const ADDRESS = '203.0.113.5';
const message = {
  method: 'INVITE',
  ruri: { user: NUMBER },
  to: { uri: { user: NUMBER } },
  getHeader: () => undefined,
} as unknown as IncomingRequestMessage;

const called = (numberId: string, trunk: Partial<Trunk> = {}, isActive = true): CalledTrunk => ({
  numberId,
  workspaceId: numberId,
  phoneNumber: NUMBER,
  isActive,
  trunk: { host: 'sip.example.com', port: null, transport: 'udp', credentials: null, ...trunk },
});

async function callerOf(
  trunks: CalledTrunk[],
  transport = 'udp',
  address = ADDRESS,
  resolve = (_transport: string, _host: string): string => ADDRESS,
): Promise<string | undefined> {
  const findCaller = createFindCaller({
    findTrunks: async () => trunks,
    addressesOf: async ({ transport: of, host }) => [resolve(of, host)],
    digest: createDigest({ secret: 'secret', nowMs: () => 0 }),
    networks: [{ host: 'provider.example', network: parseCidr('198.51.100.0/24') }],
  });
  const caller = await findCaller(message, { address, transport });
  return caller.type === 'known' ? caller.called.numberId : undefined;
}

describe('a call from an address of the trunk [sip.12]', () => {
  const credentials = { username: 'alice', password: 'wonderland' };

  it('comes in only if the trunk has no credentials', async () => {
    expect(await callerOf([called('one')])).toBe('one');
    expect(await callerOf([called('one', { credentials })])).toBeUndefined();
  });

  it('is decided by the trunk that was connected first: a later one neither takes its calls nor hinders them', async () => {
    expect(await callerOf([called('one'), called('two')])).toBe('one');
    expect(await callerOf([called('one'), called('two', { credentials })])).toBe('one');
    expect(await callerOf([called('one', { credentials }), called('two'), called('three')])).toBeUndefined();
  });

  it('is challenged for the credentials of the first trunk whichever transport or network it comes by', async () => {
    const byTls = called('one', { credentials, transport: 'tls', host: 'SIP.example.com.' });
    expect(await callerOf([byTls, called('two')])).toBeUndefined();
    const ofProvider = called('one', { credentials, host: 'acme.provider.example' });
    const other = called('two', { host: 'other.provider.example' });
    expect(await callerOf([ofProvider, other], 'udp', '198.51.100.7')).toBeUndefined();
    // Of the same carrier, but SRV records name other servers for TLS.
    const elsewhere = (transport: string): string => (transport === 'tls' ? '203.0.113.9' : ADDRESS);
    expect(await callerOf([byTls, called('two')], 'udp', ADDRESS, elsewhere)).toBeUndefined();
  });

  it('with credentials elsewhere is of the trunk whose address it comes from', async () => {
    const elsewhere = called('one', { credentials, host: 'sip.other.example' });
    const resolve = (_: string, host: string): string =>
      host === 'sip.other.example' ? '203.0.113.9' : ADDRESS;
    expect(await callerOf([elsewhere, called('two')], 'udp', ADDRESS, resolve)).toBe('two');
  });

  it('is of an active number before one that the operator has deactivated', async () => {
    const squatted = called('squatted', {}, false);
    expect(await callerOf([squatted, called('one'), called('two')])).toBe('one');
    expect(await callerOf([squatted])).toBe('squatted');
    expect(await callerOf([called('squatted', { credentials }, false), called('one')])).toBe('one');
  });

  it("may come from a network of the trunk's provider, if the trunk has no credentials", async () => {
    const of = (host: string, more: Partial<Trunk> = {}) =>
      callerOf([called('one', { host, ...more })], 'udp', '198.51.100.7');
    expect(await of('acme.provider.example')).toBe('one');
    expect(await of('Provider.example')).toBe('one');
    expect(await of('acme.provider.example.')).toBe('one');
    expect(await of('other-provider.example')).toBeUndefined();
    expect(await of('acme.provider.example', { credentials })).toBeUndefined();
    expect(await of('acme.provider.example', { transport: 'tls' })).toBeUndefined();
    expect(
      await callerOf([called('one', { host: 'acme.provider.example' })], 'udp', '198.51.101.7'),
    ).toBeUndefined();
  });

  it('must come by TLS if the trunk uses it', async () => {
    const trunks = [called('one', { transport: 'tls' })];
    expect(await callerOf(trunks, 'udp')).toBeUndefined();
    expect(await callerOf(trunks, 'tls')).toBe('one');
  });

  it('is not of a later trunk if the first one at the address uses TLS', async () => {
    const trunks = [called('one', { transport: 'tls' }), called('two')];
    expect(await callerOf(trunks, 'udp')).toBeUndefined();
    expect(await callerOf(trunks, 'tls')).toBe('one');
    const elsewhere = (transport: string): string => (transport === 'tls' ? '203.0.113.9' : ADDRESS);
    expect(await callerOf(trunks, 'udp', ADDRESS, elsewhere)).toBeUndefined();
  });

  it('looks all trunks up at once', async () => {
    const asked: string[] = [];
    const findCaller = createFindCaller({
      findTrunks: async () => [called('one', { host: 'slow.example.com' }), called('two')],
      addressesOf: ({ host }) => {
        asked.push(host);
        return new Promise(() => {});
      },
      digest: createDigest({ secret: 'secret', nowMs: () => 0 }),
    });
    findCaller(message, { address: ADDRESS, transport: 'udp' }).catch(() => {});
    await new Promise(setImmediate);
    expect(asked).toEqual(['slow.example.com', 'sip.example.com']);
  });
});
