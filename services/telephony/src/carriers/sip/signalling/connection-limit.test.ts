import { describe, expect, it } from '@jest/globals';
import { hasItsShare, isTooMany, peerOf } from './connection-limit.ts';

/** How many of these connections are accepted, one after the other. */
function accepted(addresses: readonly string[], owners: Readonly<Record<string, readonly string[]>>): number {
  const ownersOf = (address: string): ReadonlySet<string> =>
    new Set(Object.keys(owners).filter((owner) => owners[owner]?.some((start) => address.startsWith(start))));
  const peers: ReturnType<typeof peerOf>[] = [];
  for (const peer of addresses.map(peerOf)) if (!isTooMany(peer, peers, ownersOf)) peers.push(peer);
  return peers.length;
}
const range = (count: number, address: (n: number) => string): string[] =>
  Array.from({ length: count }, (_, n) => address(n));

describe('the connections that come in [sip.12]', () => {
  it('are 100 of a known network: an address of IPv4, a /64 of IPv6', () => {
    const owners = { one: ['192.0.2.', '2001:db8:'] };
    expect(
      accepted(
        range(150, () => '192.0.2.1'),
        owners,
      ),
    ).toBe(100);
    expect(
      accepted(
        range(150, (n) => `2001:db8::${n}`),
        owners,
      ),
    ).toBe(100);
    expect(
      accepted(
        range(150, (n) => `2001:db8:0:${n}::1`),
        owners,
      ),
    ).toBe(150);
  });

  it('are 10 of an unknown network, and 200 of all', () => {
    expect(
      accepted(
        range(50, (n) => `2001:db8::${n}`),
        {},
      ),
    ).toBe(10);
    expect(
      accepted(
        range(500, (n) => `2001:db8:0:${n}::1`),
        {},
      ),
    ).toBe(200);
  });

  it('are 200 of all addresses of a workspace, so that others can connect', () => {
    const owners = { many: ['192.0.2.'], other: ['198.51.100.'] };
    const all = [...range(500, (n) => `192.0.2.${n % 250}`), '198.51.100.1'];
    expect(accepted(all, owners)).toBe(201);
  });

  it('come from a shared address until all workspaces with it have their share', () => {
    const owners = { many: ['192.0.2.', '203.0.113.1'], other: ['203.0.113.1'] };
    const shared = range(150, () => '203.0.113.1');
    expect(accepted([...range(200, (n) => `192.0.2.${n}`), ...shared], owners)).toBe(300);
  });

  it('take the share of a workspace that has 200', () => {
    const ownersOf = (address: string) => new Set(address === '192.0.2.1' ? ['one'] : []);
    const peers = (count: number) => range(count, () => '192.0.2.1').map(peerOf);
    expect([hasItsShare('one', peers(199), ownersOf), hasItsShare('one', peers(200), ownersOf)]).toEqual([
      false,
      true,
    ]);
  });
});
