import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export type HostileEndpoint = { url: string; asked(path: string): number; close(): Promise<void> };

const CHUNK = Buffer.alloc(65_536, 'x');

/** A malicious tool endpoint: each path attacks in a different way. */
export async function hostileEndpoint(): Promise<HostileEndpoint> {
  const counts = new Map<string, number>();
  let closing = false;

  const pour = async (res: ServerResponse, bytes: number): Promise<void> => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.write('["');
    for (let sent = 0; sent < bytes && !closing && !res.destroyed; sent += CHUNK.length) {
      if (!res.write(CHUNK)) await once(res, 'drain', { signal: AbortSignal.timeout(50) }).catch(() => {});
    }
    res.end('"]');
  };

  const trickle = async (res: ServerResponse): Promise<void> => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.write('[');
    while (!closing && !res.destroyed) {
      res.write('1,');
      await sleep(200);
    }
  };

  const answers: Record<string, (res: ServerResponse) => unknown> = {
    '/hang': () => {},
    '/endless': (res) => pour(res, Number.POSITIVE_INFINITY),
    '/10mb': (res) => pour(res, 10 * 1024 * 1024),
    '/trickle': trickle,
    '/redirect': (res) => res.writeHead(302, { location: '/valid' }).end(),
    '/redirect-inside': (res) =>
      res.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
    '/not-json': (res) => res.end('<html>hello</html>'),
    '/half': (res) => res.writeHead(200, { 'content-length': '1000' }).write('{"half":'),
    '/number': (res) => res.end('42'),
    '/null': (res) => res.end('null'),
    '/nested': (res) => res.end(`${'['.repeat(7_000)}${']'.repeat(7_000)}`),
    '/reset': (res) => res.socket?.resetAndDestroy(),
    '/valid': (res) => res.end('{"valid":true}'),
  };

  const server = createServer((req, res) => {
    const path = (req.url ?? '/').split('?', 1)[0] ?? '/';
    counts.set(path, (counts.get(path) ?? 0) + 1);
    req.resume();
    res.on('error', () => {});
    answers[path]?.(res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no address');
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked: (path) => counts.get(path) ?? 0,
    close: async () => {
      closing = true;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
