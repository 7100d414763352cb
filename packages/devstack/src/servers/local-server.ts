import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { errorCode } from '../processes/error-code.ts';
import type { Finding } from './choose-source.ts';
import { probe } from './probe.ts';
import { SERVERS, type ServerKind } from './server-kinds.ts';

const SOCKET_FOLDERS = ['/var/run/postgresql', '/tmp'];

/** The server at the usual local port, if it speaks its protocol and accepts one of the usual credentials. */
export async function findLocalServer(kind: ServerKind): Promise<Finding<{ url: string; version: string }>> {
  const reasons: string[] = [];
  for (const url of usualUrls(kind)) {
    try {
      return { ok: true, url, version: await probe(kind, url) };
    } catch (error) {
      reasons.push(shortReason(error));
    }
  }
  const where = `127.0.0.1:${SERVERS[kind].usualPort}`;
  return { ok: false, why: `${where} cannot be used: ${[...new Set(reasons)].join('; ')}` };
}

function usualUrls(kind: ServerKind): string[] {
  if (kind === 'redis') return ['redis://127.0.0.1:6379'];
  if (kind === 'rabbitmq') return ['amqp://guest:guest@127.0.0.1:5672'];
  const users = [...new Set(['postgres', userInfo().username])].map(encodeURIComponent);
  const sockets = SOCKET_FOLDERS.filter((folder) => existsSync(`${folder}/.s.PGSQL.5432`));
  return [
    ...users.map((user) => `postgres://${user}@127.0.0.1:5432/postgres`),
    ...sockets.flatMap((socket) =>
      users.map((user) => `postgres://${user}@localhost/postgres?host=${socket}`),
    ),
  ];
}

/** One line of an error; an `AggregateError` of refused addresses has an empty message. */
export function shortReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = errorCode(error);
  if (code === 'ECONNREFUSED') return 'connection refused';
  return error.message.split('\n')[0] || code || error.name;
}
