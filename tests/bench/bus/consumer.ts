import { connectAmqp } from '@parley/kit/amqp';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { amqpUrl } from '@parley/testkit';

/** A message's id and the machine's monotonic clock when its handler began, in milliseconds. */
export type Arrival = [id: string, atMs: number];

/** The same clock in every process of the machine. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

const REPORT_EVERY_MS = 100;

/** The other process: handles messages and tells its parent when each arrived, until the parent lets go of it. */
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
