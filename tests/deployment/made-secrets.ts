import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { forEachService, ROOT, type ServiceName } from '@parley/devstack';

const FLAGS = ['--import', 'tsx', '--conditions=source', join(ROOT, 'packages/container/make-secrets.mjs')];

let made: Record<string, Record<string, string | undefined>> | undefined;

/** What `make-secrets.mjs` writes for a service into the volume that is mounted where `SECRETS_FILE` points. */
export function madeSecrets(service: ServiceName): Record<string, string | undefined> {
  made ??= makeAll();
  return { ...made[service] };
}

function makeAll() {
  const folder = mkdtempSync(join(tmpdir(), 'parley-secrets-'));
  try {
    execFileSync(process.execPath, [...FLAGS, folder], { cwd: ROOT });
    return forEachService((name) => parseEnv(readFileSync(join(folder, name, 'env'), 'utf8')));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The files that the local overlay takes its secrets from; made where they are missing, as its operator does. */
export function makeLocalSecrets(): void {
  const folder = join(ROOT, 'k8s/overlays/local/secrets');
  if (existsSync(join(folder, 'parley-common.env'))) return;
  execFileSync(process.execPath, [...FLAGS, '--kubernetes', folder], { cwd: ROOT });
}
