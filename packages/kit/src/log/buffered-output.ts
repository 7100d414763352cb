import { type DestinationStream, destination } from 'pino';

const BUFFER_BYTES = 4_096;
const FLUSH_MS = 100;

/**
 * Standard output with a buffer, since a system call costs more than a line. It is flushed every 100 ms, at the exit of the process and
 * for fatal lines; SIGKILL loses the rest.
 */
export function bufferedOutput(): DestinationStream {
  const output = destination({ fd: 1, sync: true, minLength: BUFFER_BYTES, periodicFlush: FLUSH_MS });
  process.once('exit', () => output.flushSync());
  return output;
}
