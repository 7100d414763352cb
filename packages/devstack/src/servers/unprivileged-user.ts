import { runProgram } from '../processes/run-program.ts';

/** Options of a child process; empty to run as the current user. */
export type User = { uid?: number; gid?: number };

/** The user for a program that refuses to run as root: the current one, unless that is root. */
export async function unprivilegedUser(): Promise<User> {
  if (process.getuid?.() !== 0) return {};
  // cspell:disable-next-line: a user name
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = await Promise.all([runProgram('id', ['-u', name]), runProgram('id', ['-g', name])]);
    if (uid.ok && gid.ok) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  return { uid: 65_534, gid: 65_534 };
}
