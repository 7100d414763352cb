import { LRUCache } from 'lru-cache';
import { hasItsShare, type OwnersOf, type Peer } from './connection-limit.ts';

/** Whose trunks an address belongs to: by the trunks themselves, and by calls from it that have proven a trunk's credentials. */
export type TrustedAddresses = {
  ownersOf: OwnersOf;
  isKnown(address: string): boolean;
  /**
   * A call from the address has proven the credentials of a trunk of this workspace. False: the workspace has its share of these peers'
   * connections, and the address does not become one of its.
   */
  trust(address: string, workspaceId: string, peers: Iterable<Peer>): boolean;
};

const MAX_ADDRESSES = 10_000;
/** Of one address, such as a carrier's that several workspaces use. Beyond it, the workspace that has called least recently is forgotten. */
const MAX_WORKSPACES = 20;

export function createTrustedAddresses(trunksAt: OwnersOf): TrustedAddresses {
  /** The workspaces whose calls have come from an address, the last caller at the end. */
  const callers = new LRUCache<string, ReadonlySet<string>>({ max: MAX_ADDRESSES });
  const ownersOf: OwnersOf = (address) => {
    const trunks = trunksAt(address);
    const proven = callers.get(address);
    return proven === undefined ? trunks : new Set([...trunks, ...proven]);
  };
  return {
    ownersOf,
    isKnown: (address) => ownersOf(address).size > 0,
    trust(address, workspaceId, peers) {
      if (trunksAt(address).has(workspaceId)) return true;
      const proven = callers.get(address) ?? new Set();
      if (!proven.has(workspaceId) && hasItsShare(workspaceId, [...peers], ownersOf)) return false;
      const others = [...proven].filter((other) => other !== workspaceId);
      callers.set(address, new Set([...others.slice(1 - MAX_WORKSPACES), workspaceId]));
      return true;
    },
  };
}
