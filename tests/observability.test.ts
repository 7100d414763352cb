import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICES } from '@parley/devstack';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { bootPlatform, type Platform } from '@parley/testkit/stage';
import { type Collector, collector } from './platform/collector.ts';
import { type DocumentedMetric, documentedMetrics } from './platform/documented-metrics.ts';
import { eventsByCall, setUpAssistant } from './platform/fixtures.ts';

let platform: Platform;
let server: Receiver;
let traces: Collector;
let setup: Awaited<ReturnType<typeof setUpAssistant>>;
let callId: string;
const LONG = { timeoutMs: 60_000, everyMs: 100 };
const REQUEST_ID = 'the-request-that-placed-it';
const ALL = ['call_started', 'call_ended', 'call_analyzed'];

beforeAll(async () => {
  [server, traces] = await Promise.all([receiver(), collector()]);
  platform = await bootPlatform({
    clockRate: 20,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: traces.url, OTEL_BSP_SCHEDULE_DELAY: '200' },
  });
  setup = await setUpAssistant(platform, server);
  const { number } = setup;
  const placed = await platform.api.request(
    'POST',
    '/v2/call',
    { to_number: '+12025550010', from_number: number.phone_number },
    { 'x-request-id': REQUEST_ID },
  );
  callId = placed.body.data.id;
  await eventually(() => expect(eventsByCall(server).get(callId)).toEqual(ALL), LONG);
});

afterAll(async () => {
  await platform?.stop();
  await Promise.all([server.close(), traces.close()]);
});

const traceOf = (header: unknown): string => String(header).split('-')[1] ?? '';

describe('one trace', () => {
  it('covers the request, the queue, each delivery, and the receiver [trust.14]', async () => {
    const [first] = server.requests('/hook');
    const traceId = traceOf(first?.headers.traceparent);
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    for (const { headers } of [...server.requests('/hook'), ...server.requests('/tool')]) {
      expect(traceOf(headers.traceparent)).toBe(traceId);
    }
    const spans = await eventually(() => {
      const found = traces.spans().filter((span) => span.traceId === traceId);
      const names = found.map(({ service, name }) => `${service}: ${name}`);
      expect(names).toEqual(
        expect.arrayContaining([
          'gateway: POST /v2/call',
          'telephony: POST /v2/call',
          'telephony: dial',
          'telephony: tool check_availability',
          'telephony: analyze',
          ...ALL.map((event) => `webhooks: consume ${event.replace('_', '.')}`),
        ]),
      );
      expect(names.filter((name) => name === 'webhooks: webhook attempt')).toHaveLength(ALL.length);
      return found;
    }, LONG);

    // Every span but the first has its parent in the trace: nothing of it hangs in the air.
    const known = new Set(spans.map(({ spanId }) => spanId));
    const roots = spans.filter(({ parentSpanId }) => !known.has(parentSpanId));
    expect(roots.map(({ service, name }) => `${service}: ${name}`)).toEqual(['gateway: POST /v2/call']);
  }, 90_000);
});

describe('log lines', () => {
  it('contain the ids to find a request, its call and its trace', async () => {
    const traceId = traceOf(server.requests('/hook')[0]?.headers.traceparent);
    const { workspace_id: workspaceId } = platform.workspace;
    await platform.api.data('GET', `/v2/call/${callId}`);

    const lines = await eventually(async () => {
      const [gateway, telephony, webhooks] = await Promise.all([
        platform.logged('gateway'),
        platform.logged('telephony'),
        platform.logged('webhooks'),
      ]);
      expect(gateway.filter((line) => line.callId === callId)).toHaveLength(1);
      return { gateway, telephony, webhooks };
    });
    const placed = { route: '/v2/call', requestId: REQUEST_ID, workspaceId, traceId };
    for (const own of [lines.gateway, lines.telephony]) {
      expect(own).toContainEqual(expect.objectContaining({ msg: 'request finished', ...placed }));
    }
    expect(lines.telephony).toContainEqual(
      expect.objectContaining({ msg: 'call ended', callId, workspaceId, traceId }),
    );
    const attempts = lines.webhooks.filter((line) => line.msg === 'attempt finished');
    expect(attempts).toHaveLength(ALL.length);
    for (const attempt of attempts) expect(attempt).toMatchObject({ callId, workspaceId, traceId });
  });

  it('contain the campaign of its calls', async () => {
    const { assistant, number } = setup;
    const { campaign_id: campaignId } = await platform.api.data('POST', '/v1/campaigns', {
      campaign_name: 'Traced',
      agent_id: assistant.id,
      phone_number: number.phone_number,
      contacts: [{ phone_number: '+12025550008' }],
    });
    await platform.api.data('POST', `/v1/campaigns/${campaignId}/resume`);
    await eventually(async () => {
      const telephony = await platform.logged('telephony');
      expect(telephony).toContainEqual(
        expect.objectContaining({ msg: 'call ended', campaignId, traceId: expect.any(String) }),
      );
      const gateway = await platform.logged('gateway');
      expect(gateway).toContainEqual(
        expect.objectContaining({ route: '/v1/campaigns/:id/resume', campaignId }),
      );
    }, LONG);
  }, 90_000);
});

describe('/metrics', () => {
  it.each(SERVICES)(
    'of %s contains everything documented, and nothing of ours that is not',
    async (service) => {
      const documented = await documentedMetrics();
      const own = documented.filter(({ services }) => services.includes(service));
      const text = await eventually(async () => {
        const metrics = await platform.metrics(service);
        expect(typesIn(metrics)).toEqual(Object.fromEntries(own.map(({ name, type }) => [name, type])));
        // Every database gauge has been read; one that takes too long on a busy machine is NaN until the next scrape.
        expect(metrics).not.toMatch(/^parley_\S+ nan$/im);
        return metrics;
      });
      expect(text).toMatch(/^parley_database_up\{[^}]*\} 1$/m);
    },
  );

  it('counts the traced call', async () => {
    const [gateway, telephony, webhooks, campaigns] = await Promise.all([
      platform.metrics('gateway'),
      platform.metrics('telephony'),
      platform.metrics('webhooks'),
      platform.metrics('campaigns'),
    ]);
    const placed = { method: 'POST', route: '/v2/call', status: '201' };
    expect(sampleOf(gateway, 'http_request_duration_seconds_count', placed)).toBe(1);
    expect(sampleOf(telephony, 'http_request_duration_seconds_count', placed)).toBe(1);
    expect(sampleOf(telephony, 'parley_calls_ended_total', { reason: 'user_hangup' })).toBeGreaterThan(0);
    expect(sampleOf(telephony, 'parley_dials_total')).toBeGreaterThan(0);
    expect(sampleOf(telephony, 'parley_dial_wait_seconds_count')).toBeGreaterThan(0);
    expect(sampleOf(telephony, 'parley_dial_lateness_seconds_count')).toBeGreaterThan(0);
    const delivered = { reason: 'delivered' };
    expect(
      sampleOf(webhooks, 'parley_webhook_attempt_duration_seconds_count', delivered),
    ).toBeGreaterThanOrEqual(ALL.length);
    expect(sampleOf(webhooks, 'parley_queue_messages', { queue: 'webhooks.calls', kind: 'dead' })).toBe(0);
    const labels = { queue: 'campaigns.calls', type: 'call.ended', outcome: 'ack' };
    expect(sampleOf(campaigns, 'parley_message_duration_seconds_count', labels)).toBeGreaterThan(0);
  });
});

/** The sample with these labels among others. */
function sampleOf(text: string, name: string, labels: Record<string, string> = {}): number | undefined {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const line = text
    .split('\n')
    .find((it) => it.startsWith(`${name}{`) && wanted.every((label) => it.includes(label)));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

/** The type of every metric that is ours. */
function typesIn(text: string): Record<string, DocumentedMetric['type']> {
  const types = [...text.matchAll(/^# TYPE ((?:parley|http)_\w+) (\w+)$/gm)];
  return Object.fromEntries(types.map(([, name = '', type = '']) => [name, type]));
}
