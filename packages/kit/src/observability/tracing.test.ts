import { expect, it } from '@jest/globals';
import { isTracing, startTracing, traceHeaders, withSpan } from './tracing.ts';

const headersOfSpan = () => withSpan('work', {}, async () => traceHeaders());

it('traces from its start to its stop only', async () => {
  expect([isTracing(), await headersOfSpan()]).toEqual([false, {}]);
  // Nothing listens there: what is left cannot be exported.
  const stop = await startTracing({ service: 'test', otlpEndpoint: 'http://127.0.0.1:9' });
  expect(isTracing()).toBe(true);
  expect(await headersOfSpan()).toHaveProperty('traceparent');
  await stop().catch(() => {});
  expect([isTracing(), await headersOfSpan()]).toEqual([false, {}]);
});
