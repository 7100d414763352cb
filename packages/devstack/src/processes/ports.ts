import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeLock } from './lock-file.ts';

const LOOPBACK = '127.0.0.1';

/** Whether this port of the address is free. */
export function isPortFree(port: number, host = LOOPBACK): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Below the kernel's ephemeral ports, which an outgoing connection could take before the service does. */
const LOWEST = 10_000;
const ABOVE = 32_768;

/** A random free port, so that concurrent callers get different ones. */
export async function anyFreePort(): Promise<number> {
  const port = randomInt(LOWEST, ABOVE);
  return (await isPortFree(port)) ? port : anyFreePort();
}

/** The ports that this process has reserved for its children, until it exits. */
export type PortReservations = { take(preferred: number): Promise<number>; release(): void };

/**
 * Finds free ports from a preferred one upwards. A port stays free until its service listens on it, so two stacks that start at the
 * same time could choose the same one: a lock file per port in the temporary folder prevents that.
 */
export function createPortReservations(marker: string, host = LOOPBACK, folder = tmpdir()): PortReservations {
  const releases: (() => void)[] = [];
  const reserve = (port: number): boolean => {
    try {
      const lock = takeLock(join(folder, `parley-port-${port}.lock`), marker);
      if (lock.held) releases.push(lock.release);
      return lock.held;
    } catch {
      return false; // another user's lock, which we may neither read nor remove
    }
  };
  const take = async (preferred: number): Promise<number> => {
    for (let port = preferred; port < Math.min(preferred + 200, 65_536); port += 1) {
      if ((await isPortFree(port, host)) && reserve(port)) return port;
    }
    return anyFreePort();
  };
  return { take, release: () => releases.splice(0).forEach((release) => void release()) };
}
