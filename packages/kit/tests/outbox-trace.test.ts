import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { context, propagation, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { eventually, kitDatabase, type SqlClient, sqlClient, type TestDatabase } from '@parley/testkit';
import { withSpan } from '../src/observability/index.ts';
import { enqueue } from '../src/outbox/index.ts';
import { type BusTest, busTest } from './support/bus.ts';
import { message, outboxOn } from './support/outbox.ts';

const spans = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
let database: TestDatabase;
let sql: SqlClient;
let test: BusTest;

/** Of the process, which other test files use as well. */
const unregister = (): void => {
  for (const api of [trace, context, propagation]) api.disable();
};

beforeAll(async () => {
  unregister();
  provider.register();
  database = await kitDatabase('outbox');
  sql = sqlClient(database.url);
  test = await busTest();
});
afterAll(async () => {
  await test.close();
  await sql.close();
  await database.drop();
  await provider.shutdown();
  unregister();
});

it('carries the trace of the publisher to the handler', async () => {
  const { amqp } = test.start();
  const { outbox, stop } = outboxOn({ amqp }, sql, database.url);
  const handledIn: (string | undefined)[] = [];
  amqp.consume({
    queue: 'assistants.phone-numbers',
    handlers: {
      'phone-number.updated': async () => {},
      'phone-number.deleted': async () => void handledIn.push(trace.getActiveSpan()?.spanContext().traceId),
    },
  });
  const traceId = await withSpan('request', {}, async (span) => {
    await outbox.transaction((tx) => enqueue(tx, message(1)));
    return span.spanContext().traceId;
  });
  await eventually(() => expect(handledIn).toEqual([traceId]));
  await eventually(() =>
    expect(spans.getFinishedSpans().map(({ name }) => name)).toContain('consume phone-number.deleted'),
  );
  await stop();
});
