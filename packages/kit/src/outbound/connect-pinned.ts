import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { realTimer } from '../time/index.ts';
import { parseAddress } from './ip-address.ts';
import type { Target } from './parse-target.ts';

export type ConnectOptions = {
  signal: AbortSignal;
  /** The trusted certificates. */
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
    // An address literal is verified against the certificate's addresses and has no name for SNI.
    ...(isLiteral ? {} : { servername: host.replace(/\.$/, '') }),
    secureContext,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  });

/**
 * Connects to exactly this address, which has been checked; nothing is resolved here. The peer's address is compared before a byte is sent,
 * and TLS verifies the URL's name. Rejects with an error that has a `code`.
 */
export async function connectPinned(
  target: Target,
  address: string,
  { signal, secureContext, timeoutMs }: ConnectOptions,
): Promise<Socket> {
  const sockets: Socket[] = [];
  const open = (socket: Socket): Socket => {
    // An error before the first request has no other listener; that request then finds a closed socket.
    sockets.push(socket.on('error', () => {}));
    return socket;
  };
  const abort = (): void => {
    for (const socket of sockets) socket.destroy(failure('ETIMEDOUT'));
  };
  const cancel = realTimer(timeoutMs, abort);
  signal.addEventListener('abort', abort, { once: true });
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
    abort();
    throw error;
  } finally {
    cancel();
    signal.removeEventListener('abort', abort);
  }
}
