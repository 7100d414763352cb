import { describe, expect, it } from '@jest/globals';
import { locateServers, type SrvRecord } from './locate-servers.ts';
import { createResolveTrunk } from './resolve-trunk.ts';

const TRUNK = { host: 'sip.carrier.example', port: null, transport: 'tls' as const };
const RECORDS: SrvRecord[] = [
  { name: 'backup.carrier.example', port: 5_071, priority: 20, weight: 0 },
  { name: 'light.carrier.example', port: 5_061, priority: 10, weight: 10 },
  { name: 'heavy.carrier.example', port: 5_061, priority: 10, weight: 90 },
];
const lookUp =
  (asked: string[] = []) =>
  async (name: string) => {
    asked.push(name);
    return name === '_sips._tcp.sip.carrier.example' ? RECORDS : [];
  };
const namesOf = (servers: readonly { host: string }[]) => servers.map(({ host }) => host.split('.', 1)[0]);

describe('the servers of a trunk [sip.20]', () => {
  it('are those of its SRV records, by priority, and among equals by weight', async () => {
    expect(await locateServers(TRUNK, lookUp(), () => 0.05)).toEqual([
      { host: 'light.carrier.example', port: 5_061 },
      { host: 'heavy.carrier.example', port: 5_061 },
      { host: 'backup.carrier.example', port: 5_071 },
    ]);
    expect(namesOf(await locateServers(TRUNK, lookUp(), () => 0.5))).toEqual(['heavy', 'light', 'backup']);
    expect(namesOf(await locateServers(TRUNK, lookUp(), () => 0.999))).toEqual(['heavy', 'light', 'backup']);
  });

  it('are its host alone if it has a port, is an address, or has no such records', async () => {
    const asked: string[] = [];
    const of = (trunk: Partial<Parameters<typeof locateServers>[0]>) =>
      locateServers({ ...TRUNK, ...trunk }, lookUp(asked), Math.random);
    expect(await of({ port: 5_099 })).toEqual([{ host: TRUNK.host, port: 5_099 }]);
    expect(await of({ host: '192.0.2.1' })).toEqual([{ host: '192.0.2.1', port: 5_061 }]);
    expect(await of({ host: '[2001:db8::1]' })).toEqual([{ host: '[2001:db8::1]', port: 5_061 }]);
    expect(asked).toEqual([]);
    expect(await of({ transport: 'udp' })).toEqual([{ host: TRUNK.host, port: 5_060 }]);
    expect(await of({ transport: 'tcp' })).toEqual([{ host: TRUNK.host, port: 5_060 }]);
    expect(asked).toEqual(['_sip._udp.sip.carrier.example', '_sip._tcp.sip.carrier.example']);
  });
});

describe('the addresses of a trunk [sip.8] [sip.20]', () => {
  const resolving = (addresses: Record<string, string[] | 'private' | 'fails'>) =>
    createResolveTrunk({
      lookUpSrv: lookUp(),
      random: () => 0.5,
      guard: async (host) => {
        const found = addresses[host];
        if (found === 'fails' || found === undefined) throw new Error('SERVFAIL');
        return found === 'private'
          ? { refused: `${host} does not resolve to a public address`, reason: '', insecure: false }
          : { addresses: found };
      },
    });

  it('are those of all its servers, without what is not public and what cannot be resolved', async () => {
    const resolve = resolving({
      'heavy.carrier.example': 'private',
      'light.carrier.example': ['203.0.113.1', '203.0.113.2'],
      'backup.carrier.example': ['203.0.113.3'],
    });
    expect(await resolve(TRUNK)).toEqual({
      targets: [
        { address: '203.0.113.1', port: 5_061 },
        { address: '203.0.113.2', port: 5_061 },
        { address: '203.0.113.3', port: 5_071 },
      ],
    });
    const some = resolving({ 'backup.carrier.example': ['203.0.113.3'] });
    expect(await some(TRUNK)).toEqual({ targets: [{ address: '203.0.113.3', port: 5_071 }] });
  });

  it('are none if all servers are private, and unknown if none can be resolved', async () => {
    const inside = resolving({ 'heavy.carrier.example': 'private', 'backup.carrier.example': 'private' });
    expect(await inside(TRUNK)).toEqual({
      refused: 'heavy.carrier.example does not resolve to a public address',
    });
    await expect(resolving({})(TRUNK)).rejects.toThrow('SERVFAIL');
  });
});
