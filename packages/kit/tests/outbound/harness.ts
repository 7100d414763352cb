import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { createLogger } from '../../src/log/index.ts';
import {
  createOutboundClient,
  type OutboundClient,
  type OutboundOptions,
  type OutboundRequest,
  type OutboundResult,
} from '../../src/outbound/index.ts';
import { certificate, privateKey } from './tls-fixture.ts';

export type RawServer = {
  port: number;
  /** The heads and bodies that came, as text. */
  requests: string[];
  sockets: Socket[];
  close(): Promise<void>;
};

const isWhole = (text: string): boolean => {
  const end = text.indexOf('\r\n\r\n');
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return end >= 0 && Buffer.byteLength(text.slice(end + 4)) >= length;
};

/** A server that answers with whatever bytes a test wants: `answer` is called for each whole request. */
export async function rawServer(
  answer: (socket: Socket, request: string) => void,
  { host = '127.0.0.1', port = 0, tls = false } = {},
): Promise<RawServer> {
  const requests: string[] = [];
  const sockets: Socket[] = [];
  const onSocket = (socket: Socket): void => {
    let text = '';
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      if (!isWhole(text)) return;
      requests.push(text);
      const request = text;
      text = '';
      answer(socket, request);
    });
  };
  const server: Server = tls
    ? createTlsServer({ key: privateKey, cert: certificate }, onSocket).on('tlsClientError', () => {})
    : createServer(onSocket);
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  return { port: address.port, requests, sockets, close };
}

/** A whole answer with its length. */
export const answerOf = (status: number, headers: Record<string, string> = {}, body = ''): string => {
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)) });
  return `HTTP/1.1 ${status} X\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
};

export const clientOf = (options: Partial<OutboundOptions> = {}): OutboundClient =>
  createOutboundClient({
    allowCidrs: ['127.0.0.0/8'],
    log: createLogger({ service: 'outbound-test', level: 'silent' }),
    resolver: () => Promise.reject(new Error('no name is expected')),
    ...options,
  });

export const requestOf = (url: string, change: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  method: 'POST',
  headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1', 'webhook-signature': 'v1,sig' },
  body: '{"a":"ü"}',
  deadlineMs: 5000,
  allowHttp: false,
  followRedirects: true,
  readBody: 'record',
  ...change,
});

/** What a test mostly wants of a result, in one line. */
export const brief = (result: OutboundResult) => ({
  outcome: result.outcome,
  status: result.status,
  sent: result.requestSent,
});
