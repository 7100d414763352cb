import { createServer, type Socket } from 'node:net';

export type RawReceiver = {
  url: string;
  /** Handles each request of a path; the socket stays open until then. */
  script(path: string, onRequest: (socket: Socket, request: string) => void): void;
  /** The requests of a path, with head and body as received. */
  requests(path: string): string[];
  close(): Promise<void>;
};

const isWhole = (text: string): boolean => {
  const end = text.indexOf('\r\n\r\n');
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return end >= 0 && Buffer.byteLength(text.slice(end + 4)) >= length;
};

/** A receiver that responds with any bytes, or with none. */
export async function rawReceiver(): Promise<RawReceiver> {
  const scripts = new Map<string, (socket: Socket, request: string) => void>();
  const received: { path: string; request: string }[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    let text = '';
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      if (!isWhole(text)) return;
      const request = text;
      text = '';
      const path = request.split(' ')[1] ?? '';
      received.push({ path, request });
      scripts.get(path)?.(socket, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    script: (path, onRequest) => void scripts.set(path, onRequest),
    requests: (path) => received.filter((one) => one.path === path).map(({ request }) => request),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** A complete response with its length. */
export function rawAnswer(status: number, headers: Record<string, string> = {}, body = ''): string {
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)) });
  return `HTTP/1.1 ${status} X\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}
