import { type DestinationStream, destination } from 'pino';

const GATHERED_BYTES = 4_096;
const LATEST_MS = 100;

/**
 * Standard output for a process's lines: many leave with one call of the system, which costs more than the line. None waits
 * longer than a tenth of a second; the last ones leave with the process, a fatal one at once. `kill -9` loses those that wait.
 */
export function gatheredOutput(): DestinationStream {
  const output = destination({ fd: 1, sync: true, minLength: GATHERED_BYTES, periodicFlush: LATEST_MS });
  process.once('exit', () => output.flushSync());
  return output;
}
