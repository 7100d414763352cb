import { type AddressInfo, createServer, type Socket } from 'node:net';

/** The behavior of an endpoint; part of the path of its URL. */
export type EndpointBehavior = 'answers' | 'hangs' | 'endless';

const HEAD_END = '\r\n\r\n';
const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nok';
const ENDLESS_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n';
const ENDLESS_CHUNK = `3f00\r\n${'x'.repeat(0x3f00)}\r\n`;
const ENDLESS_EVERY_MS = 1_000;

/**
 * Runs in the child process: `count` endpoints, each on its own port and thus a separate origin. Parses only where a request
 * ends.
 */
export async function runReceivers(count: number): Promise<void> {
  const servers = Array.from({ length: count }, () => createServer(serve));
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) =>
          server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
        ),
    ),
  );
  process.send?.(ports);
  process.once('disconnect', () => process.exit(0));
}

function serve(socket: Socket): void {
  let text = '';
  socket.setNoDelay(true).setEncoding('latin1');
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    text = text === '' ? String(chunk) : text + chunk;
    for (let end = requestEnd(text); end > 0; end = requestEnd(text)) {
      answer(socket, text.slice(0, text.indexOf('\r\n')));
      text = text.slice(end);
    }
  });
}

/** Where the first request ends; 0 if it is incomplete. */
function requestEnd(text: string): number {
  const headEnd = text.indexOf(HEAD_END);
  if (headEnd < 0) return 0;
  const at = text.indexOf('content-length: ');
  const length = at < 0 || at > headEnd ? 0 : Number.parseInt(text.slice(at + 16, at + 26), 10);
  const end = headEnd + HEAD_END.length + length;
  return end <= text.length ? end : 0;
}

function answer(socket: Socket, requestLine: string): void {
  if (requestLine.includes('/hangs')) return;
  if (!requestLine.includes('/endless')) {
    socket.write(ANSWER);
    return;
  }
  socket.write(ENDLESS_HEAD);
  const timer = setInterval(() => socket.write(ENDLESS_CHUNK), ENDLESS_EVERY_MS);
  socket.once('close', () => clearInterval(timer));
}
