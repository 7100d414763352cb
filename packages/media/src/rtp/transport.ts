import type { Address } from './latch.ts';

export type Channel = 'rtp' | 'rtcp';

/** Sends and receives datagrams of one session: UDP, an emulated network, or a protocol that encrypts them. */
export type PacketTransport = {
  /** The transport may keep the bytes. Failures of the network are ignored, as with any datagram. */
  send(bytes: Uint8Array, channel: Channel, to: Address): void;
  /** Sets the only listener. It may keep the bytes. */
  onPacket(listener: (bytes: Uint8Array, channel: Channel, from: Address) => void): void;
  close(): void;
};
