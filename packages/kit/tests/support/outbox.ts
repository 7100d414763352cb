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

/** A call's last message; nothing of it matters here but its size. */
export function analyzed(summary: string): NewMessage<'call.analyzed'> {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    type: 'call.analyzed',
    workspaceId: randomUUID(),
    occurredAt: new Date(at),
    data: {
      ...{
        call_id: randomUUID(),
        call_type: 'web',
        from_number: null,
        to_number: null,
        dynamic_variables: {},
      },
      ...{ agent: { agent_id: randomUUID(), version: 1, webhook_url: null }, campaign: null, started_at: at },
      ...{ answered_at: at, ended_at: at, duration: 1, cost: 1, disconnection_reason: 'user_hangup' },
      ...{ retryable: false, voicemail_message_left: false, edition: 1, call_sid: null, recording_url: null },
      ...{
        recording_sid: null,
        created_at: at,
        updated_at: at,
        transcript: [],
        summary,
        analysis_data: null,
      },
      tools: [],
    },
  };
}
