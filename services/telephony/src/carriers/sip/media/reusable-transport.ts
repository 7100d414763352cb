import type { PacketTransport } from '@parley/media';

type PacketListener = Parameters<PacketTransport['onPacket']>[0];

/** One pair of ports for the lines of a leg, which replace each other when the codec or the keys change. */
export type ReusableTransport = {
  /** The transport of the next line; that of the previous one ends. Closing it leaves the ports open. */
  next(): PacketTransport;
  /** On hold no audio is sent. */
  allowSending(isAllowed: boolean): void;
  close(): void;
};

export function createReusableTransport(transport: PacketTransport): ReusableTransport {
  let listener: PacketListener | undefined;
  let current = 0;
  let isSending = true;
  transport.onPacket((bytes, channel, from) => listener?.(bytes, channel, from));
  return {
    next() {
      current += 1;
      const own = current;
      listener = undefined;
      return {
        send: (bytes, channel, to) => {
          if (own === current && (isSending || channel === 'rtcp')) transport.send(bytes, channel, to);
        },
        onPacket: (take) => {
          if (own === current) listener = take;
        },
        close: () => {
          if (own === current) listener = undefined;
        },
      };
    },
    allowSending: (isAllowed) => {
      isSending = isAllowed;
    },
    close: () => {
      listener = undefined;
      transport.close();
    },
  };
}
