import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { SERVICES } from '../services.ts';
import { callAnalytics, callAnalyticsRow, concurrency, grouping, liveCall } from '../shapes/analytics.ts';
import { attention, attentionItem } from '../shapes/attention.ts';
import { callType } from '../shapes/call.ts';
import { dayOrInstant, offsetPage, queryInt, timeZone, uuid } from '../shapes/primitives.ts';

const route = { access: 'private', tag: 'Analytics', method: 'GET', status: 200 } as const;
const errors = ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'] as const;

const resourceFilters = {
  agent_id: uuid.optional().describe('Filter by assistant'),
  phone_number_id: uuid.optional().describe("Filter by the workspace's phone number"),
  campaign_id: uuid.optional().describe('Filter by campaign'),
  call_type: callType.optional().describe('Filter by call type'),
};

const range = {
  from: dayOrInstant
    .optional()
    .describe('First day, or an instant; by default 30 days up to `to`, or one day for `hour`'),
  to: dayOrInstant.optional().describe('Last day (inclusive), or an instant (exclusive); by default today'),
};
const COUNTED =
  'A call counts once it has ended, at the time of its creation. Instants are rounded outwards to quarter hours. Calls that are ' +
  'removed by retention or erased remain in the figures, which contain no personal data.';

export const listCallAnalytics = defineEndpoint({
  ...route,
  service: 'telephony',
  id: 'listCallAnalytics',
  path: '/v1/analytics/calls',
  query: z.object({
    ...range,
    group_by: z
      .enum(['day', 'hour', 'agent', 'number', 'campaign', 'outcome'])
      .default('day')
      .describe('What a row is; at most 400 days, or 31 days for `hour`'),
    tz: timeZone.optional().describe('Zone of days and hours; by default the zone of the workspace'),
    ...resourceFilters,
  }),
  envelope: 'data',
  response: z.array(callAnalyticsRow),
  errors,
  summary: 'Get the main figures of calls by day, hour, resource or outcome',
  description:
    'Days and hours: each of the range, in order, also without calls. The others: those with calls, the most calls first, at ' +
    `most 1,000. ${COUNTED} \`GET /v1/analytics/summary\` has totals and further figures.`,
});

export const getCallAnalytics = defineEndpoint({
  ...route,
  service: 'telephony',
  id: 'getCallAnalytics',
  path: '/v1/analytics/summary',
  query: z.object({
    ...range,
    group_by: grouping
      .default('none')
      .describe('What `buckets` contains; at most 400 days, or 31 days for `hour`'),
    time_zone: timeZone.optional().describe('Zone of days and hours; by default the zone of the workspace'),
    ...resourceFilters,
    limit: queryInt(1, 500, 100).describe(
      'Maximum number of assistants, numbers, campaigns or outcomes in `buckets`',
    ),
  }),
  envelope: 'data',
  response: callAnalytics,
  errors,
  summary: 'Get counts, minutes, cost, outcomes and latency of calls',
  description: `${COUNTED} \`from\` and \`to\` of the response are the range that was counted.`,
});

export const listLiveCalls = defineEndpoint({
  ...route,
  service: 'telephony',
  id: 'listLiveCalls',
  path: '/v2/call/live',
  query: z.object({
    ...resourceFilters,
    ...offsetPage(),
  }),
  envelope: 'list',
  response: liveCall,
  errors,
  summary: 'List calls that have not ended, newest first',
  description: '`next_cursor` is the next offset; an offset past the end returns an empty list.',
});

export const getConcurrency = defineEndpoint({
  ...route,
  service: 'telephony',
  id: 'getConcurrency',
  path: '/v1/concurrency',
  envelope: 'data',
  response: concurrency,
  errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Get the number of concurrent calls and its limit',
  description:
    'The calls that count towards `CONCURRENCY_LIMIT`: all that have not ended, whatever their type.',
});

export const getAttention = defineEndpoint({
  ...route,
  service: 'gateway',
  id: 'getAttention',
  path: '/v1/attention',
  envelope: 'data',
  response: attention,
  errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'List what needs attention',
  description:
    'Webhook URLs whose deliveries fail, events that were given up, phone numbers whose circuit is open, events that were ' +
    'not published, and API keys that expire within 14 days. A service that does not respond in time is named in ' +
    '`unknown_services`. New types may be added.',
});

/** The services that report what needs attention. */
export const ATTENTION_SERVICES = SERVICES.filter((service) => service !== 'gateway');
export type AttentionService = Exclude<(typeof SERVICES)[number], 'gateway'>;

export const attentionOf = (service: AttentionService) =>
  defineEndpoint({
    service,
    access: 'internal',
    tag: 'Internal',
    id: 'getServiceAttention',
    method: 'GET',
    path: '/internal/attention',
    status: 200,
    envelope: 'data',
    response: z.object({ items: z.array(attentionItem) }),
    errors: [],
    summary: "What needs attention in the caller's workspace, of one service",
  });
