import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { realTimer } from '../time/index.ts';
import { parseAddress } from './cidr.ts';
import type { Target } from './parse-target.ts';

export type ConnectOptions = {
  signal: AbortSignal;
  /** Whose certificates are trusted. */
  secureContext: SecureContext;
  timeoutMs: number;
};

const failure = (code: string): Error => Object.assign(new Error('connection failed'), { code });

const isSame = (one: string, other: string): boolean =>
  parseAddress(one)?.toNormalizedString() === parseAddress(other)?.toNormalizedString();

const arrival = (socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> =>
  new Promise((resolve, reject) => {
    const onClose = (): void => reject(failure('ECONNRESET'));
    socket.once('error', reject).once('close', onClose);
    socket.once(event, () => {
      socket.off('error', reject).off('close', onClose);
      resolve();
    });
  });

const startTls = (tcp: Socket, { host, isLiteral }: Target, secureContext: SecureContext): Socket =>
  connectTls({
    socket: tcp,
    host,
    // A literal is proved by the certificate's addresses and has no name to send.
    ...(isLiteral ? {} : { servername: host.replace(/\.$/, '') }),
    secureContext,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  });

/**
 * A connection to exactly this address, which has been judged: nothing is resolved here. Who the peer is, is looked
 * at again before a byte is sent; TLS then proves the name of the URL. Rejects with an error that has a `code`.
 */
export async function connectPinned(
  target: Target,
  address: string,
  { signal, secureContext, timeoutMs }: ConnectOptions,
): Promise<Socket> {
  const sockets: Socket[] = [];
  const open = (socket: Socket): Socket => {
    // A late error finds no other listener until the first request, which then meets a closed socket.
    sockets.push(socket.on('error', () => {}));
    return socket;
  };
  const giveUp = (): void => {
    for (const socket of sockets) socket.destroy(failure('ETIMEDOUT'));
  };
  const cancel = realTimer(timeoutMs, giveUp);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    signal.throwIfAborted();
    const tcp = open(
      connectTcp({ host: address, port: target.port, noDelay: true, autoSelectFamily: false }),
    );
    await arrival(tcp, 'connect');
    if (!isSame(tcp.remoteAddress ?? '', address)) throw failure('ERR_WRONG_PEER');
    if (!target.secure) return tcp;
    const tls = open(startTls(tcp, target, secureContext));
    await arrival(tls, 'secureConnect');
    return tls;
  } catch (error) {
    giveUp();
    throw error;
  } finally {
    cancel();
    signal.removeEventListener('abort', giveUp);
  }
}
