import { listWebhookEndpoints, testWebhookEndpoint } from '../endpoints/webhook-endpoints.ts';
import { listFailedWebhooks } from '../endpoints/webhook-events.ts';
import { listCallWebhooks, resendCallWebhooks } from '../endpoints/webhooks.ts';
import { example } from './example.ts';
import { IDS } from './story.ts';

const URL = 'https://example.com/parley';
const TIME = '2026-03-14T09:27:31.502Z';
const HEADERS = {
  'content-type': 'application/json',
  'webhook-id': IDS.event,
  'webhook-timestamp': '1773480451',
  'webhook-signature': '********',
};

const delivered = {
  url: URL,
  duration_ms: 84,
  reason: 'delivered' as const,
  status: 200,
  error: null,
  response: { headers: { 'content-type': 'text/plain' }, body: 'ok' },
};

export const webhookExamples = [
  example(listCallWebhooks, [
    {
      id: IDS.event,
      event: 'call_ended',
      status: 'delivered',
      reason: 'delivered',
      created_at: TIME,
      next_attempt_at: null,
      attempt_count: 1,
      attempts: [
        {
          ...delivered,
          series: 1,
          attempt: 1,
          started_at: TIME,
          request: { headers: HEADERS, body: `{"event":"call_ended","call_id":"${IDS.call}"}` },
        },
      ],
    },
  ]),
  example(resendCallWebhooks, {
    results: { call_ended: { ok: false, status: 503, reason: 'http_error' } },
  }),
  example(listFailedWebhooks, {
    id: IDS.event,
    call_id: IDS.call,
    agent_id: IDS.assistant,
    event: 'call_ended',
    url: URL,
    reason: 'http_error',
    created_at: TIME,
  }),
  example(listWebhookEndpoints, {
    url: URL,
    assistant_count: 1,
    agent_ids: [IDS.assistant],
    waiting_events: 0,
    recent_attempts: 100,
    success_rate: 0.99,
    latency_p50_ms: 84,
    latency_p95_ms: 310,
    last_success_at: TIME,
    last_error: { at: '2026-03-14T08:02:10.077Z', reason: 'http_error', status: 503, error: null },
  }),
  example(testWebhookEndpoint, {
    ...delivered,
    id: IDS.event,
    ok: true,
    request: { headers: HEADERS, body: '{"event":"test","call_id":null}' },
  }),
];
