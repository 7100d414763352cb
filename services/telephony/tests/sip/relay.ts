import { connect as connectTcp, createServer as createTcpServer, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { freePort } from '@parley/testkit';
import { createFraming } from '../../src/carriers/sip/signalling/framing.ts';
import type { RunningProxy, Secrets } from './tls-proxy.ts';

/**
 * One connection to sipp for all processes, which may die: over TCP sipp responds on the connection on which a call began, even where a request came
 * by another one. What comes back goes to the process that sent last. The relay answers OPTIONS itself: a check of the trunk may come before the call
 * that sipp expects. `secrets`: it takes and speaks TLS.
 */
export async function openRelay(target: number, secrets?: Secrets): Promise<RunningProxy> {
  const upstream = secrets
    ? connectTls({ host: '127.0.0.1', port: target, ca: [secrets.ca] })
    : connectTcp(target, '127.0.0.1');
  let last: Socket | undefined;
  upstream.on('data', (bytes) => last?.write(bytes));
  upstream.on('error', () => {});
  const take = (socket: Socket): void => {
    const framing = createFraming();
    socket.on('data', (bytes) => {
      // A check and a call share the connection, and may arrive as one piece.
      for (const message of framing.push(bytes).messages)
        if (message.startsWith('OPTIONS ')) socket.write(okTo(message));
        else {
          last = socket;
          upstream.write(message);
        }
    });
    socket.on('error', () => {});
  };
  const server = secrets
    ? createTlsServer({ cert: secrets.cert, key: secrets.key }, take)
    : createTcpServer(take);
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port,
    close: () => {
      upstream.destroy();
      server.close();
    },
  };
}

function okTo(request: string): string {
  const copied = request.split('\r\n').filter((line) => /^(via|from|to|call-id|cseq):/i.test(line));
  return ['SIP/2.0 200 OK', ...copied, 'Content-Length: 0', '', ''].join('\r\n');
}
