import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Address } from './latch.ts';
import type { Channel, PacketTransport } from './transport.ts';

/** Large enough for bursts of other calls, so that no received packets are lost. */
const RECEIVE_BUFFER_BYTES = 512 * 1_024;
const DEFAULT_PORTS = { min: 10_000, max: 19_999 };

export type UdpTransport = PacketTransport & {
  /** The local port of RTP, which is even; RTCP uses the next one unless it is multiplexed. */
  readonly port: number;
};

/**
 * Binds a pair of UDP ports (one with `rtcpMux`) on `address`, the next free one from a random start in `ports`. Rejects if none is
 * free, or if the address isn't one of this machine.
 */
export async function createUdpTransport(options: {
  address: string;
  random: () => number;
  ports?: { min: number; max: number };
  rtcpMux?: boolean;
}): Promise<UdpTransport> {
  const { address, random, ports = DEFAULT_PORTS, rtcpMux = false } = options;
  const first = ports.min + (ports.min % 2);
  const pairs = Math.floor((ports.max - first + 1) / 2);
  const start = Math.floor(random() * pairs);
  for (let n = 0; n < pairs; n += 1) {
    const port = first + 2 * ((start + n) % pairs);
    const sockets = await bindPair(address, port, rtcpMux);
    if (sockets) return toTransport(port, sockets);
  }
  throw new Error(`No free pair of UDP ports from ${ports.min} to ${ports.max} on ${address}`);
}

async function bindPair(address: string, port: number, rtcpMux: boolean): Promise<Socket[] | undefined> {
  const rtp = await bind(address, port);
  if (!rtp || rtcpMux) return rtp && [rtp];
  const rtcp = await bind(address, port + 1);
  if (rtcp) return [rtp, rtcp];
  rtp.close();
  return undefined;
}

/** Undefined if the port is taken. */
function bind(address: string, port: number): Promise<Socket | undefined> {
  const family = isIPv6(address) ? 6 : 4;
  const socket = createSocket({
    type: family === 6 ? 'udp6' : 'udp4',
    // Destinations are IP addresses: nothing to look up, and sending stays synchronous.
    lookup: (hostname, _options, callback) => callback(null, hostname, family),
  });
  return new Promise((resolve, reject) => {
    socket.once('error', (error: NodeJS.ErrnoException) => {
      socket.close();
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    socket.bind({ address, port, exclusive: true }, () => {
      socket.removeAllListeners('error');
      // An unreachable far end causes an error at the next call, which is irrelevant for media.
      socket.on('error', () => undefined);
      try {
        socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES);
      } catch {
        // The system's own limit applies.
      }
      resolve(socket);
    });
  });
}

function toTransport(port: number, [rtp, rtcp]: Socket[]): UdpTransport {
  let open = true;
  const listen = (
    socket: Socket | undefined,
    channel: Channel,
    listener: (bytes: Uint8Array, channel: Channel, from: Address) => void,
  ): void => {
    socket?.on('message', (bytes, { address, port: from }) =>
      listener(bytes, channel, { address, port: from }),
    );
  };
  return {
    port,
    send(bytes, channel, to) {
      const socket = channel === 'rtcp' ? rtcp : rtp;
      if (!open || !socket || to.port <= 0 || to.port > 65_535) return;
      socket.send(bytes, to.port, to.address, () => undefined);
    },
    onPacket(listener) {
      listen(rtp, 'rtp', listener);
      listen(rtcp, 'rtcp', listener);
    },
    close() {
      if (!open) return;
      open = false;
      // After the goodbye has been sent.
      setImmediate(() => {
        rtp?.close();
        rtcp?.close();
      });
    },
  };
}
