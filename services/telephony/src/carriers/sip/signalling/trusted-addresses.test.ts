import { describe, expect, it } from '@jest/globals';
import { hasItsShare, isTooMany, type OwnersOf, peerOf } from './connection-limit.ts';
import { createTrustedAddresses } from './trusted-addresses.ts';

const CARRIER = '192.0.2.1';
const NO_TRUNKS: OwnersOf = () => new Set();
const peers = (count: number, address = CARRIER) => Array.from({ length: count }, () => peerOf(address));

describe('addresses from which calls have proven the credentials of trunks [sip.12]', () => {
  it('are those of all workspaces whose calls come from them, and count for each', () => {
    const { trust, ownersOf, isKnown } = createTrustedAddresses(NO_TRUNKS);
    expect(isKnown(CARRIER)).toBe(false);
    for (const workspaceId of ['one', 'other', 'one', 'other']) trust(CARRIER, workspaceId, peers(100));
    expect([...ownersOf(CARRIER)].sort()).toEqual(['one', 'other']);
    const isFull = (workspaceId: string) => hasItsShare(workspaceId, peers(200), ownersOf);
    expect([isFull('one'), isFull('other')]).toEqual([true, true]);
  });

  it('may connect while one of their workspaces has connections left', () => {
    const ownersOf: OwnersOf = (address) => new Set(address === CARRIER ? [] : ['full']);
    const addresses = createTrustedAddresses(ownersOf);
    addresses.trust(CARRIER, 'free', []);
    addresses.trust(CARRIER, 'full', []);
    const taken = Array.from({ length: 200 }, (_, n) => peerOf(`198.51.100.${n}`));
    expect(isTooMany(peerOf(CARRIER), taken, addresses.ownersOf)).toBe(false);
    expect(isTooMany(peerOf('203.0.113.1'), taken, addresses.ownersOf)).toBe(true);
  });

  it('do not become those of a workspace that has its share, and remain those of one that reaches it', () => {
    const { trust, ownersOf } = createTrustedAddresses(
      (address) => new Set(address === CARRIER ? [] : ['one']),
    );
    const taken = peers(200, '198.51.100.1');
    expect(trust(CARRIER, 'one', taken)).toBe(false);
    expect(ownersOf(CARRIER).size).toBe(0);
    expect(trust(CARRIER, 'one', taken.slice(1))).toBe(true);
    expect(trust(CARRIER, 'one', taken)).toBe(true);
    expect([...ownersOf(CARRIER)]).toEqual(['one']);
  });

  it('are those of the 20 workspaces that have called last', () => {
    const { trust, ownersOf } = createTrustedAddresses(NO_TRUNKS);
    const ids = Array.from({ length: 20 }, (_, n) => `${n}`);
    for (const id of [...ids, '0', 'new']) trust(CARRIER, id, []);
    expect([...ownersOf(CARRIER)]).toEqual([...ids.slice(2), '0', 'new']);
  });
});
