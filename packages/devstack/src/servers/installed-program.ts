import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Finding } from './choose-source.ts';
import { SERVERS, type ServerKind } from './server-kinds.ts';

/** Folders of servers that may not be in PATH: Debian's sbin, Homebrew, MacPorts. */
const MORE_FOLDERS = [
  '/usr/local/sbin',
  '/usr/sbin',
  '/opt/homebrew/bin',
  '/opt/homebrew/sbin',
  '/opt/local/bin',
];

/** The path of a program, including those installed outside of PATH. */
export function findProgram(name: string, first: string[] = []): string | undefined {
  const folders = [...first, ...(process.env.PATH ?? '').split(delimiter), ...MORE_FOLDERS];
  return folders
    .filter(Boolean)
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** The program that runs a server. Debian installs Postgres by version: the newest is used. */
export function serverProgram(kind: ServerKind): string | undefined {
  if (kind === 'postgres') {
    const postgres = findProgram('postgres', postgresFolders());
    return postgres && existsSync(join(postgres, '../initdb')) ? postgres : undefined;
  }
  if (kind === 'redis') return findProgram('redis-server') ?? findProgram('valkey-server');
  // Debian's /usr/sbin/rabbitmq-server requires the user rabbitmq and its folders; this is the script that it wraps.
  return findProgram('rabbitmq-server', ['/usr/lib/rabbitmq/bin']);
}

export function findInstalled(kind: ServerKind): Finding {
  if (serverProgram(kind) !== undefined) return { ok: true };
  return { ok: false, why: `${SERVERS[kind].title} is not installed` };
}

function postgresFolders(): string[] {
  const base = '/usr/lib/postgresql';
  if (!existsSync(base)) return [];
  const versions = readdirSync(base).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(base, version, 'bin'));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
