import { randomUUID } from 'node:crypto';
import type { Amqp } from '../../src/amqp/index.ts';
import type { SqlClient } from '../../src/db/index.ts';
import { createLifecycle } from '../../src/lifecycle/index.ts';
import { createMetrics, type Metrics } from '../../src/observability/index.ts';
import { createOutbox, type NewMessage, type Outbox, type OutboxOptions } from '../../src/outbox/index.ts';
import { log, numberDeleted } from './bus.ts';

export type OutboxProcess = { outbox: Outbox<SqlClient>; metrics: Metrics; stop(): Promise<void> };

/** An outbox as in a process; stop it before the process whose connection it uses. */
export function outboxOn(
  { amqp }: { amqp: Pick<Amqp, 'publish' | 'canPublish'> },
  prisma: OutboxOptions<SqlClient>['prisma'],
  databaseUrl: string,
): OutboxProcess {
  const lifecycle = createLifecycle(log, { deadlineMs: 5_000 });
  const metrics = createMetrics('test');
  const outbox = createOutbox({ prisma, databaseUrl, amqp, log, lifecycle, metrics });
  return { outbox, metrics, stop: () => lifecycle.stop('test') };
}

export function message(version: number): NewMessage<'phone-number.deleted'> {
  return {
    type: 'phone-number.deleted',
    workspaceId: randomUUID(),
    occurredAt: new Date('2026-01-01T00:00:00.000Z'),
    data: numberDeleted(version),
  };
}
