import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { runProgram } from '../processes/run-program.ts';
import { Problem } from '../terminal/problem.ts';
import type { Finding } from './choose-source.ts';
import { findProgram } from './installed-program.ts';
import { SERVERS, type ServerKind } from './server-kinds.ts';

const POLICY = '/usr/sbin/policy-rc.d';
/** Debian's maintainer scripts run it to find out whether they may start the installed service. */
const FORBID_STARTS =
  '#!/bin/sh\n# Created by Parley while it installs servers, which it starts itself. May be removed.\nexit 101\n';
const TIMEOUT_MS = 15 * 60_000;

/** Whether packages can be installed here: as root on Debian, Ubuntu or a derivative. */
export function canInstall(): Finding {
  if (process.getuid?.() !== 0) return { ok: false, why: 'installing it with apt requires root' };
  if (existsSync('/etc/debian_version') && findProgram('apt-get')) return { ok: true };
  return { ok: false, why: 'this is not Debian or Ubuntu, where it would be installed with apt' };
}

/**
 * Installs servers from the distribution. A temporary policy-rc.d keeps the distribution from starting them: we run them privately, and
 * leave no server behind.
 */
export async function installWithApt(kinds: ServerKind[]): Promise<void> {
  const packages = kinds.map((kind) => SERVERS[kind].packages);
  const apt = (...args: string[]) =>
    runProgram('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' },
      timeoutMs: TIMEOUT_MS,
    });
  const release = forbidStarts();
  try {
    await apt('update', '-q'); // May fail for one of several repositories; the result of the install decides.
    const result = await apt('install', '-q', '-y', '--no-install-recommends', ...packages);
    if (result.ok) return;
    const output = result.stderr.trim().split('\n').slice(-8).join('\n');
    throw new Problem(
      `${output}\n\nInstalling ${packages.join(', ')} failed: apt-get install ${packages.join(' ')}`,
    );
  } finally {
    release();
  }
}

function forbidStarts(): () => void {
  // Left behind by a command that was killed.
  if (existsSync(POLICY) && readFileSync(POLICY, 'utf8') !== FORBID_STARTS) return () => undefined;
  writeFileSync(POLICY, FORBID_STARTS, { mode: 0o755 });
  return () => rmSync(POLICY, { force: true });
}
