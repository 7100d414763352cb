import type { Lifecycle } from '../lifecycle/index.ts';
import { createPeer, type Peer, type PeerOptions } from './create-peer.ts';

/** A peer that is closed when the process stops. */
export function connectPeer(options: PeerOptions, lifecycle: Pick<Lifecycle, 'onStop'>): Peer {
  const peer = createPeer(options);
  lifecycle.onStop(`peer ${options.name}`, peer.close);
  return peer;
}
