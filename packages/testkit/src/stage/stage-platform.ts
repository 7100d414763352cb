import { join } from 'node:path';
import {
  type Background,
  processesOf,
  SERVICES,
  type ServiceProcess,
  startInBackground,
  waitUntilReady,
} from '@parley/devstack';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { withDeadline } from '@parley/kit/time';
import { createPlatformStack, type PlatformStack } from './platform-stack.ts';
import { NODE_FLAGS } from './service-process.ts';

const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 45_000;

export type PlatformStage = PlatformStack & {
  /** Real milliseconds between an event and its arrival. */
  ageMs(event: Date, arrival: Date): number;
  /** Processes by name: a service, or `telephony-worker`. */
  processes: Readonly<Record<string, Background>>;
};

/**
 * Starts one process of each type, as its image runs it, without restarts. With a `clockRate` above 1 calls end sooner, and periodic
 * work and retries happen more often.
 */
export async function stagePlatform(
  lifecycle: Lifecycle,
  { clockRate }: { clockRate: number },
): Promise<PlatformStage> {
  const stack = await createPlatformStack({
    clockRate,
    durable: true,
    env: { LOG_LEVEL: 'warn', NODE_ENV: 'development' },
  });
  lifecycle.onStop('databases, queues and files', stack.remove);
  const { folder, environments, internalUrl, originMs } = stack;
  const start = ({ name, main, env }: ServiceProcess): Background => {
    const background = startInBackground([process.execPath, ...NODE_FLAGS, main], {
      env: { ...process.env, MALLOC_ARENA_MAX: '2', ...env },
      logFile: join(folder, `${name}.log`),
    });
    lifecycle.onStop(name, () => background.stop('SIGTERM', STOP_TIMEOUT_MS));
    return background;
  };
  const all = SERVICES.flatMap((service) => processesOf(service, environments[service]));
  const processes = Object.fromEntries(all.map((process) => [process.name, start(process)]));
  const allReady = async (signal: AbortSignal): Promise<void> => {
    for (const name of SERVICES) await waitUntilReady(`${internalUrl(name)}/readyz`, signal);
  };
  await withDeadline(READY_TIMEOUT_MS, allReady, lifecycle.signal);
  return {
    ...stack,
    processes,
    ageMs: (event, arrival) => arrival.getTime() - originMs - (event.getTime() - originMs) / clockRate,
  };
}
