import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import {
  createMetrics,
  linksTo,
  startTracing,
  traceHeaders,
  withParent,
  withSpan,
} from '../src/observability/index.ts';

describe('createMetrics', () => {
  it('keeps the metrics of services in one process apart', async () => {
    const one = createMetrics('one');
    const two = createMetrics('two');
    one.counter('parley_things_total', 'Things', ['kind']).inc({ kind: 'a' }, 2);
    two.counter('parley_things_total', 'Things', ['kind']);
    expect(await one.registry.metrics()).toContain('parley_things_total{kind="a",service="one"} 2');
    expect(await two.registry.metrics()).not.toContain('kind="a"');
  });

  it('measures routes and the process, and reads gauges at each scrape', async () => {
    const metrics = createMetrics('one');
    metrics.httpDuration.observe({ method: 'GET', route: '/v2/call/:id', status: '200' }, 0.003);
    metrics.histogram('parley_wait_seconds', 'Wait').observe(2);
    let depth = 1;
    metrics.gauge('parley_depth', 'Depth', [], (gauge) => gauge.set(depth));
    const first = await metrics.registry.metrics();
    expect(first).toMatch(/http_request_duration_seconds_count\{.*route="\/v2\/call\/:id".*\} 1/);
    expect(first).toContain('process_resident_memory_bytes');
    expect(first).toContain('parley_depth{service="one"} 1');
    depth = 7;
    expect(await metrics.registry.metrics()).toContain('parley_depth{service="one"} 7');
  });
});

describe('tracing', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const parent = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };

  it('costs nothing and sends nothing without an endpoint', async () => {
    const stop = await startTracing({ service: 'test' });
    const headers = await withParent(parent, () => withSpan('work', {}, async () => traceHeaders()));
    expect(headers).toEqual({});
    await stop();
  });

  it('continues one trace from headers through spans to headers, and exports it', async () => {
    const bodies: string[] = [];
    const collector = createServer((req, res) => {
      req.on('data', (chunk: Buffer) => bodies.push(chunk.toString()));
      req.on('end', () => res.end('{}'));
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const otlpEndpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`;

    const stop = await startTracing({ service: 'test', otlpEndpoint });
    const again = await startTracing({ service: 'other', otlpEndpoint });
    const headers = await withParent(parent, () =>
      withSpan('outer', { kind: 'test' }, () => withSpan('inner', {}, async () => traceHeaders(), 'client')),
    );
    expect(headers.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    const linked = await withSpan('linked', {}, async () => traceHeaders(), 'server', linksTo(parent));
    expect(linked.traceparent).not.toContain(traceId);
    expect(linksTo(parent)).toMatchObject([{ context: { traceId } }]);
    expect(linksTo({ traceparent: 'nonsense' })).toEqual([]);
    const failing = withParent(parent, () =>
      withSpan('failing', {}, async () => {
        throw new Error('amqp://u:hunter2@host');
      }),
    );
    await expect(failing).rejects.toThrow('hunter2');
    await again();
    await stop();
    collector.close();

    const sent = bodies.join('');
    for (const part of ['outer', 'inner', 'failing', traceId, 'parley-test']) expect(sent).toContain(part);
    expect(sent).not.toContain('hunter2');
    expect(traceHeaders()).toEqual({});
  });
});
