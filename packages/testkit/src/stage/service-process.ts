import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { compiledEntry, FOLLOW_PARENT, ROOT, type ServiceName, waitUntilReady } from '@parley/devstack';
import { type Actor, INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { withDeadline } from '@parley/kit/time';
import { amqpUrl } from '../addresses.ts';
import { amqpPrefix } from '../amqp-prefix.ts';
import { internalKeys } from '../internal-keys.ts';
import { internalToken } from '../internal-token.ts';
import { processorMs } from '../load/processor-time.ts';
import { freePort } from '../ports.ts';
import { endProcess } from './end-process.ts';

const READY_TIMEOUT_MS = 60_000;
const POLL_MS = 200;
const UNREACHABLE = 'http://127.0.0.1:9';
/** As in a container of 512 MiB, of which Node uses half for its heap. */
export const NODE_FLAGS = ['--max-old-space-size=256', '--max-semi-space-size=8', '--enable-source-maps'];

/** Memory in bytes: now, and the maximum since `resetPeak`, sampled five times per second. */
type MemoryWatch = { now(): Promise<number>; peak(): number; resetPeak(): void };

export type ServiceProcess = {
  url: string;
  pid: number;
  /** Whether the process is still running. */
  isAlive(): boolean;
  /** Headers of a request from the gateway: on behalf of a key of the workspace, unless another actor is given. */
  headersOf(workspaceId: string, actor?: Actor): Record<string, string>;
  memory: MemoryWatch;
  /** CPU time so far. */
  processorMs(): Promise<number>;
};

type Setting = {
  /** Replaces the defaults: a broker prefix of its own, new keys, and no other service to call. */
  env: Record<string, string | undefined>;
  /** The secret that the keys between services derive from. */
  secret?: string;
  /** Entry point; by default the one that serves the routes. */
  entry?: string;
  flags?: readonly string[];
  /** File descriptor of its log; our own terminal by default. */
  log?: number | 'inherit' | 'ignore';
};

/**
 * A service as its image runs it: compiled, in a process of its own that is stopped with the lifecycle. Resolves when it is
 * ready. `BENCH_PROFILE=<folder>` writes a CPU profile of each.
 */
export async function startService(
  name: ServiceName,
  { env: given, entry, secret = randomBytes(32).toString('hex'), flags = [], log = 'inherit' }: Setting,
  lifecycle: Lifecycle,
): Promise<ServiceProcess> {
  const { prefix, remove } = amqpPrefix();
  lifecycle.onStop(`prefix of ${name}`, remove);
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    LOG_LEVEL: 'error',
    PORT: String(await freePort()),
    AMQP_URL: amqpUrl(),
    AMQP_PREFIX: prefix,
    ...internalKeys(secret, name),
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    GATEWAY_INTERNAL_URL: UNREACHABLE,
    ASSISTANTS_URL: UNREACHABLE,
    CAMPAIGNS_URL: UNREACHABLE,
    TELEPHONY_URL: UNREACHABLE,
    WEBHOOKS_URL: UNREACHABLE,
    ...given,
  };
  const folder = process.env.BENCH_PROFILE;
  const profile = folder
    ? ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${name}.cpuprofile`]
    : [];
  const main = compiledEntry(name, entry);
  const child = spawn(
    process.execPath,
    [...NODE_FLAGS, ...flags, ...profile, '--import', FOLLOW_PARENT, main],
    {
      cwd: ROOT,
      env,
      stdio: ['ignore', log, 'inherit', 'ipc'],
    },
  );
  lifecycle.onStop(name, () => endProcess(child));
  const internalPort = 'INTERNAL_PORT' in given ? given.INTERNAL_PORT : env.PORT;
  const ready = `http://127.0.0.1:${internalPort}/readyz`;
  await withDeadline(READY_TIMEOUT_MS, (signal) => waitUntilReady(ready, signal), lifecycle.signal);

  const pid = child.pid ?? 0;
  const now = async (): Promise<number> => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  };
  let peak = 0;
  const watch = setInterval(() => {
    void now().then((bytes) => {
      peak = Math.max(peak, bytes);
    });
  }, POLL_MS);
  lifecycle.onStop(`memory of ${name}`, () => clearInterval(watch));
  return {
    url: `http://127.0.0.1:${env.PORT}`,
    pid,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    headersOf: (workspaceId, actor) => ({
      [INTERNAL_TOKEN_HEADER]: internalToken(secret, name, { workspaceId, ...(actor ? { actor } : {}) }),
      'content-type': 'application/json',
    }),
    memory: {
      now,
      peak: () => peak,
      resetPeak: () => {
        peak = 0;
      },
    },
    processorMs: () => processorMs(pid),
  };
}
