import { networkInterfaces } from 'node:os';
import { AppError } from '@parley/kit/errors';
import type { OnWebSocket } from '@parley/kit/http';

/** The HTTP server of this process, for routes that are mounted after its start. */
export type OwnServer = {
  /** Handles WebSockets to this path. */
  onWebSocket(path: string, take: OnWebSocket): void;
  webSocket: OnWebSocket;
  opened(port: number): void;
  /** The URL at which other processes of the service reach it. */
  url(): string | null;
};

const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

export function createOwnServer({
  HOST,
  WORKER_URL,
}: {
  HOST: string;
  WORKER_URL?: string | undefined;
}): OwnServer {
  const takers = new Map<string, OnWebSocket>();
  let port: number | undefined;
  return {
    onWebSocket: (path, take) => void takers.set(path, take),
    webSocket: async (request) => {
      const [path = ''] = (request.req.url ?? '').split('?', 1);
      const take = takers.get(path);
      if (!take) throw new AppError('NOT_FOUND', `No such WebSocket: ${path}`);
      await take(request);
    },
    opened: (on) => {
      port = on;
    },
    url: () => {
      if (WORKER_URL !== undefined) return WORKER_URL;
      const [host] = addressesOf(HOST);
      return port === undefined || host === undefined ? null : `http://${host}:${port}`;
    },
  };
}

/** The addresses at which a server that listens on `host` is reachable; for a wildcard, the IPv4 addresses of this machine. */
export function addressesOf(host: string): string[] {
  if (!EVERY_ADDRESS.has(host)) return [host];
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
}
