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
): Promise<string | undefined> {
  const findCaller = createFindCaller({
    findTrunks: async () => trunks,
    resolveTrunk: async () => ({ targets: [{ address: ADDRESS, port: 5_060 }] }),
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

  it('is of the number that was connected first, among those without credentials', async () => {
    expect(await callerOf([called('one', { credentials }), called('two'), called('three')])).toBe('two');
  });

  it('is of an active number before one that the operator has deactivated', async () => {
    const squatted = called('squatted', {}, false);
    expect(await callerOf([squatted, called('one'), called('two')])).toBe('one');
    expect(await callerOf([squatted])).toBe('squatted');
  });

  it("may come from a network of the trunk's provider, if the trunk has no credentials", async () => {
    const of = (host: string, more: Partial<Trunk> = {}) =>
      callerOf([called('one', { host, ...more })], 'udp', '198.51.100.7');
    expect(await of('acme.provider.example')).toBe('one');
    expect(await of('Provider.example')).toBe('one');
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
});
