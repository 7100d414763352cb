import { randomUUID } from 'node:crypto';
import type { Message } from '@parley/contracts';
import { type AmqpPrefix, amqpPrefix, amqpUrl, type TestBus, testBus } from '@parley/testkit';
import { type Amqp, connectAmqp, type Publication, type Redact } from '../../src/amqp/index.ts';
import { createLifecycle, type Lifecycle } from '../../src/lifecycle/index.ts';
import { createLogger, type Log } from '../../src/log/index.ts';

export const log: Log = createLogger({ service: 'test', level: 'silent' });

export type NumberDeleted = Message<'phone-number.deleted'>;

/** A process on the bus, as far as kit makes one. */
export type BusProcess = { amqp: Amqp; lifecycle: Lifecycle; stop(): Promise<void> };

export type BusProcesses = {
  prefix: string;
  /** Starts a process; it is stopped with the test at the latest. */
  start(url?: string, redact?: Redact, declares?: boolean): BusProcess;
  close(): Promise<void>;
};

export type BusTest = BusProcesses & {
  /** The bus as others see it. */
  bus: TestBus;
};

/** A broker prefix and the processes that a test starts on it. */
export function busProcesses(broker: string = amqpUrl()): BusProcesses {
  const own: AmqpPrefix = amqpPrefix();
  const processes: BusProcess[] = [];
  return {
    prefix: own.prefix,
    start: (url = broker, redact = undefined, declares = true) => {
      const lifecycle = createLifecycle(log, { deadlineMs: 5_000 });
      const amqp = connectAmqp({
        url,
        prefix: own.prefix,
        declares,
        log,
        lifecycle,
        ...(redact && { redact }),
      });
      const process = { amqp, lifecycle, stop: () => lifecycle.stop('test') };
      processes.push(process);
      return process;
    },
    close: async () => {
      await Promise.all(processes.map((process) => process.stop()));
      await own.remove();
    },
  };
}

/** The same with a test bus that receives every message, so that no message is unroutable. */
export async function busTest(url?: string): Promise<BusTest> {
  const processes = busProcesses(url);
  const bus = await testBus(processes.prefix, url);
  const close = async (): Promise<void> => {
    await bus.close();
    await processes.close();
  };
  return { ...processes, bus, close };
}

/** Data of the message that tests publish to `assistants.phone-numbers`; versions distinguish the messages. */
export function numberDeleted(version: number): NumberDeleted['data'] {
  return { phone_number_id: randomUUID(), phone_number: '+14155550100', version };
}

export function publication(version: number): Publication {
  const id = randomUUID();
  const message = {
    id,
    type: 'phone-number.deleted',
    occurred_at: '2026-01-01T00:00:00.000Z',
    workspace_id: randomUUID(),
    data: numberDeleted(version),
  };
  return { id, type: message.type, payload: JSON.stringify(message) };
}
