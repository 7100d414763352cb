import { connect as connectTcp, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { freePort } from '@parley/testkit';

// Debian's sipp has no TLS. These proxies encrypt what it says, and change nothing of it: SIP is spoken by sipp alone.

/** A certificate with its key, and the authority that both ends trust; as PEM. */
export type Secrets = { cert: string; key: string; ca: string };

export type RunningProxy = { port: number; close(): void };

/** Takes TLS, and passes it on to sipp's TCP. */
export function decryptingProxy(
  target: number,
  { cert, key }: Secrets,
  port?: number,
): Promise<RunningProxy> {
  const server = createTlsServer({ cert, key }, (socket) => join(socket, connectTcp(target, '127.0.0.1')));
  server.on('tlsClientError', () => {});
  return listening(server, port);
}

/** Takes TCP of sipp, and passes it on by TLS. */
export function encryptingProxy(target: number, { ca }: Secrets): Promise<RunningProxy> {
  const server = createTcpServer((socket) =>
    join(socket, connectTls({ host: '127.0.0.1', port: target, ca: [ca] })),
  );
  return listening(server);
}

/** What has been read is written, also when the other side is gone: the last message of a call is followed by the end. */
function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.setNoDelay(true);
    from.on('error', () => {});
    from.on('close', () => to.end());
    from.pipe(to);
  }
}

async function listening(server: Server, wanted?: number): Promise<RunningProxy> {
  const port = wanted ?? (await freePort());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return { port, close: () => server.close() };
}
