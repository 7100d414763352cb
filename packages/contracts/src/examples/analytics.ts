import {
  getAttention,
  getCallAnalytics,
  getConcurrency,
  listCallAnalytics,
  listLiveCalls,
} from '../endpoints/analytics.ts';
import { type CallType, DISCONNECTION_REASONS, type DisconnectionReason } from '../shapes/call.ts';
import { example } from './example.ts';
import { ANSWERED, CALLEE, CREATED, IDS, NUMBER, STARTED } from './story.ts';

const outcomesOf = (counts: Partial<Record<DisconnectionReason, number>>) =>
  Object.fromEntries(DISCONNECTION_REASONS.map((reason) => [reason, counts[reason] ?? 0])) as Record<
    DisconnectionReason,
    number
  >;
const types: Record<CallType, number> = { inbound: 2, outbound: 9, web: 1 };

const figures = {
  calls: 12,
  by_type: types,
  answered: 9,
  answer_rate: 0.75,
  successful: 8,
  success_rate: 0.6667,
  duration_seconds: 402,
  minutes: 6.7,
  average_duration_seconds: 44.67,
  cost: 72,
  outcomes: outcomesOf({ user_hangup: 7, agent_hangup: 1, voicemail: 1, dial_no_answer: 3 }),
  latency: { turns: 31, average_ms: 812.4, p50_ms: 768, p95_ms: 1390 },
};

export const analyticsExamples = [
  example(listCallAnalytics, [
    {
      key: '2026-03-14',
      calls: 12,
      answered: 9,
      minutes: 6.7,
      cost: 72,
      average_duration: 44.67,
      p95_first_audio_ms: 1390,
    },
  ]),
  example(getCallAnalytics, {
    from: '2026-03-14T07:00:00.000Z',
    to: '2026-03-15T07:00:00.000Z',
    time_zone: 'America/Los_Angeles',
    currency: 'USD',
    group_by: 'day',
    totals: figures,
    buckets: [
      {
        key: '2026-03-14',
        label: null,
        from: '2026-03-14T07:00:00.000Z',
        to: '2026-03-15T07:00:00.000Z',
        ...figures,
      },
    ],
    omitted_buckets: 0,
  }),
  example(listLiveCalls, {
    id: IDS.call,
    agent_id: IDS.assistant,
    agent_name: 'Ada',
    call_type: 'outbound',
    phone_number_id: IDS.phoneNumber,
    from_number: NUMBER,
    to_number: CALLEE,
    campaign_id: IDS.campaign,
    status: 'in-progress',
    created_at: CREATED,
    started_at: STARTED,
    answered_at: ANSWERED,
    duration: 21,
  }),
  example(getConcurrency, {
    live: 3,
    limit: 100,
    by_status: { queued: 1, ringing: 0, 'in-progress': 2 },
  }),
  example(getAttention, {
    items: [
      {
        type: 'number_circuit_open',
        at: STARTED,
        phone_number_id: IDS.phoneNumber,
        phone_number: NUMBER,
        nickname: 'Reception',
        next_probe_at: ANSWERED,
      },
    ],
    unknown_services: [],
  }),
];
