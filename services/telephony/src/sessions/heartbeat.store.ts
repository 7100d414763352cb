import { createDedicatedConnection, type DedicatedConnectionOptions } from '@parley/kit/db';
import type { Heartbeat } from './worker-ports.ts';

const BEAT = `
  INSERT INTO call_workers (id, expires_at, max_calls, url, web_audio)
  VALUES ($1::uuid, clock_timestamp() + $2 * interval '1 millisecond', $3, $4, $5)
  ON CONFLICT (id) DO UPDATE SET expires_at = EXCLUDED.expires_at`;

const RESIGN = 'UPDATE call_workers SET expires_at = clock_timestamp(), handed_over = $2 WHERE id = $1::uuid';

/** Half a lease: a heartbeat that hangs is abandoned while there is time for another. */
const TIMEOUT_MS = 1_000;

/** Leases show whether a process is alive, so they are measured by the database's clock. */
export function createHeartbeat(
  options: Pick<DedicatedConnectionOptions, 'databaseUrl' | 'log' | 'lifecycle'>,
  worker: { maxLiveCalls: number; url: string | null; hasWebAudio: boolean },
): Heartbeat {
  const { maxLiveCalls, url, hasWebAudio } = worker;
  const timeouts = { connectTimeoutMs: TIMEOUT_MS, statementTimeoutMs: TIMEOUT_MS };
  const connection = createDedicatedConnection({ ...options, ...timeouts, name: 'heartbeat' });
  return {
    beat: async (workerId, forMs) => {
      await connection.query(BEAT, [workerId, forMs, maxLiveCalls, url, hasWebAudio]);
    },
    resign: async (workerId, { handsOver }) => {
      await connection.query(RESIGN, [workerId, handsOver]);
    },
  };
}
