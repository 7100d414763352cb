import { connectAmqp } from '@parley/kit/amqp';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { amqpUrl } from '@parley/testkit';

/** A message's id, and the machine's monotonic clock at the start of its handler, in milliseconds. */
export type Arrival = [id: string, atMs: number];

/** A clock that all processes of the machine share. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

const REPORT_EVERY_MS = 100;

/** Runs in the child process: handles messages and reports their arrivals to the parent, until it disconnects. */
export async function runConsumer(prefix: string): Promise<void> {
  const log = createLogger({ service: 'bench-consumer', level: 'warn' });
  const lifecycle = createLifecycle(log, { deadlineMs: 5_000 });
  let arrivals: Arrival[] = [];
  const { consume } = connectAmqp({ url: amqpUrl(), prefix, log, lifecycle });
  consume({
    queue: 'telephony.dials',
    handlers: { 'dial.requested': async ({ id }) => void arrivals.push([id, machineMs()]) },
  });
  const reporter = setInterval(() => {
    process.send?.(arrivals);
    arrivals = [];
  }, REPORT_EVERY_MS);
  process.once('disconnect', () => {
    clearInterval(reporter);
    void lifecycle.stop('the benchmark is over');
  });
}
