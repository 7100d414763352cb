import { chmodSync, chownSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../processes/run-program.ts';
import { Problem } from '../terminal/problem.ts';
import type { PrivateSetting } from './private-server.ts';
import type { User } from './unprivileged-user.ts';

/** Postgres refuses to run as root, and the user that it runs as instead has no access to root's home. */
export async function reachableFolder({ folder, name }: PrivateSetting, user: User): Promise<string> {
  for (const candidate of [folder, join('/var/tmp', name)]) {
    mkdirSync(candidate, { recursive: true, mode: 0o700 });
    if (user.uid === undefined) return candidate;
    give(candidate, user);
    chmodSync(candidate, 0o700);
    if ((await runProgram('ls', [candidate], { ...user, cwd: '/' })).ok) return candidate;
    if (readdirSync(candidate).length === 0) rmdirSync(candidate);
  }
  throw new Problem(
    `Postgres can't run as root, and no folder is accessible to another user (tried ${folder}).`,
  );
}

/** Makes the user the owner of a file or folder. */
export function give(path: string, { uid, gid }: User): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}
