import type { SecureContext } from 'node:tls';
import { connectPinned } from './connect-pinned.ts';
import { type Connection, wrapSocket } from './connection.ts';
import type { Target } from './parse-target.ts';

// An address without a route may time out silently: leave time for the next one.
const ATTEMPT_MS = 3000;
const LAST_ATTEMPT_MS = 120_000;

export type OpenOptions = { keep: boolean; signal: AbortSignal; secureContext: SecureContext };

/** Connects to the first reachable one of the checked addresses; rejects with the error of the last one. */
export async function openConnection(
  target: Target,
  addresses: readonly string[],
  { keep, signal, secureContext }: OpenOptions,
): Promise<Connection> {
  let lastError: unknown = new Error('no address');
  for (const [index, address] of addresses.entries()) {
    const timeoutMs = index < addresses.length - 1 ? ATTEMPT_MS : LAST_ATTEMPT_MS;
    try {
      const socket = await connectPinned(target, address, { signal, secureContext, timeoutMs });
      return wrapSocket(socket, { origin: target.url.origin, address, keep });
    } catch (error) {
      lastError = error;
      if (signal.aborted) break;
    }
  }
  throw lastError;
}
