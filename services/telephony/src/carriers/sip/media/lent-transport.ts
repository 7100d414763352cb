import type { PacketTransport } from '@parley/media';

/** Ports that stay while the lines that use them change: another codec, other keys. */
export type PortLender = {
  /** For one line; the loan before ends. Closing the loan leaves the ports open. */
  lend(): PacketTransport;
  /** On hold nothing is sent. */
  allowSending(isAllowed: boolean): void;
  close(): void;
};

type Listener =
  Parameters<Parameters<PacketTransport['onPacket']>[0]> extends infer Args
    ? Args extends unknown[]
      ? (...args: Args) => void
      : never
    : never;

export function createPortLender(transport: PacketTransport): PortLender {
  let listener: Listener | undefined;
  let loan = 0;
  let isSending = true;
  transport.onPacket((bytes, channel, from) => listener?.(bytes, channel, from));
  return {
    lend() {
      loan += 1;
      const own = loan;
      listener = undefined;
      return {
        send: (bytes, channel, to) => {
          if (own === loan && (isSending || channel === 'rtcp')) transport.send(bytes, channel, to);
        },
        onPacket: (take) => {
          if (own === loan) listener = take;
        },
        close: () => {
          if (own === loan) listener = undefined;
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
