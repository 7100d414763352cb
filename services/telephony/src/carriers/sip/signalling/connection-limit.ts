import { networkOf } from '@parley/kit/outbound';

/** The far end of an incoming connection. An IPv6 host has a whole /64. */
export type Peer = { address: string; network: string };

/** The workspaces that have a trunk with this address; none: the source is unknown. */
export type OwnersOf = (address: string) => ReadonlySet<string>;

/** Connections of unknown sources, from which no trunk has called yet. */
const MAX_UNKNOWN = 200;
const MAX_UNKNOWN_OF_NETWORK = 10;
/** Several trunks may share a network, as behind one NAT. */
const MAX_KNOWN_OF_NETWORK = 100;
/** From all addresses of a workspace's trunks: a tenth of all, so that one workspace can't take the connections of the others. */
const MAX_OF_WORKSPACE = 200;

export const peerOf = (address: string): Peer => ({ address, network: networkOf(address) });

/** Whether one more connection of this peer, beside these, is too many. */
export function isTooMany({ address, network }: Peer, others: readonly Peer[], ownersOf: OwnersOf): boolean {
  const owners = [...ownersOf(address)];
  const isOfNetwork = (other: Peer): boolean => other.network === network;
  if (owners.length === 0) {
    const unknown = others.filter((other) => ownersOf(other.address).size === 0);
    return unknown.length >= MAX_UNKNOWN || unknown.filter(isOfNetwork).length >= MAX_UNKNOWN_OF_NETWORK;
  }
  if (others.filter(isOfNetwork).length >= MAX_KNOWN_OF_NETWORK) return true;
  return owners.every((owner) => hasItsShare(owner, others, ownersOf));
}

/** Whether these connections include all that a workspace may have. An address that several share counts for each of them. */
export function hasItsShare(workspaceId: string, peers: readonly Peer[], ownersOf: OwnersOf): boolean {
  return peers.filter(({ address }) => ownersOf(address).has(workspaceId)).length >= MAX_OF_WORKSPACE;
}
