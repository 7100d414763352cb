import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import {
  CALL_STATUSES,
  CALL_TYPES,
  callData,
  callDetail,
  callListItem,
  callType,
  legacyCall,
  legacyCallDetail,
} from '../shapes/call.ts';
import {
  e164,
  idParams,
  isoInput,
  page,
  queryList,
  queryNumber,
  shortList,
  uuid,
} from '../shapes/primitives.ts';
import { timelineEntry } from '../shapes/timeline.ts';

const route = { service: 'telephony', access: 'private', tag: 'Calls' } as const;

/** An array filter of at most 100 values; an empty array does not filter [calls.8]. */
const anyOf = <T extends z.ZodType>(item: T) => shortList(item, 100).optional();

const isOrdered = (min: number | undefined, max: number | undefined): boolean =>
  min === undefined || max === undefined || min <= max;
const notAbove = (name: string) => ({ error: `must not be above ${name}_max`, path: [`${name}_min`] });
const timeOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);

/** A repeated parameter is ignored: legacy routes have no 422 for values [general.10]. */
const legacyParameter = z.string().optional().catch(undefined);

export const createPhoneCall = defineEndpoint({
  ...route,
  id: 'createPhoneCall',
  method: 'POST',
  path: '/v2/call',
  errorMessage401: true,
  body: z.object({
    to_number: e164.describe('Number to call, E.164'),
    from_number: e164.describe('An active phone number of the workspace, E.164'),
    agent_id: uuid.optional().describe('The assistant; defaults to the `outbound_agent_id` of `from_number`'),
    ...callData,
  }),
  status: 201,
  envelope: 'data',
  response: callDetail,
  errors: [
    'VALIDATION_FAILED',
    'NOT_FOUND',
    'DO_NOT_CALL',
    'CONCURRENCY_LIMIT',
    'CARRIER_ERROR',
    'RATE_LIMITED',
    'UNAUTHORIZED',
    'FORBIDDEN',
  ],
  idempotent: true,
  summary: 'Place an outbound call',
  description:
    'Returns immediately with a `queued` call, which is dialed as soon as `max_cps` of the number allows. ' +
    '`NOT_FOUND`: the phone number or the assistant does not exist in the workspace. An inactive number, and a call ' +
    'without any assistant, are `VALIDATION_FAILED`; without a carrier for the number it is `CARRIER_ERROR`. With the simulated carrier the last four digits of `to_number` ' +
    'determine the outcome.',
  example: {
    to_number: '+14155550199',
    from_number: '+14155550123',
    dynamic_variables: { contact_name: 'Grace' },
  },
});

export const getCall = defineEndpoint({
  ...route,
  id: 'getCall',
  method: 'GET',
  path: '/v2/call/:id',
  params: idParams,
  status: 200,
  envelope: 'data',
  response: callDetail,
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Get a call with its transcript, summary and analysis',
  description:
    '`id` is the id returned on creation, and the `call_id` of webhook events. Transcript, summary and analysis are ' +
    'available within seconds of the end of the call, or up to 3 hours later if the analysis has to be retried.',
});

export const getCallTimeline = defineEndpoint({
  ...route,
  id: 'getCallTimeline',
  method: 'GET',
  path: '/v2/call/:id/timeline',
  params: idParams,
  status: 200,
  envelope: 'data',
  response: z.array(timelineEntry),
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Get the timeline of a call',
  description:
    'Everything that happened to the call, in order: from queueing to analysis, with every turn and tool execution. ' +
    'New entry types may be added.',
});

export const fixTranscript = defineEndpoint({
  ...route,
  id: 'fixTranscript',
  method: 'POST',
  path: '/v2/call/:id/transcript/fix',
  params: idParams,
  status: 200,
  envelope: 'data',
  response: callDetail,
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'CONFLICT', 'RATE_LIMITED', 'UNAUTHORIZED', 'FORBIDDEN'],
  answersWithinMs: 25_000,
  summary: 'Rebuild the transcript of a call from its recording',
  description:
    'Sets `enhanced_transcript`, increments `transcript_fix_count`, and sends `call_analyzed` again with the improved transcript. ' +
    'At most five times per call, and eight at a time per workspace. `CONFLICT` beyond five, during the call, without a recording, ' +
    'and if no provider can transcribe it. After 20 seconds the response is the call as it is, and the event follows.',
});

export const listCalls = defineEndpoint({
  ...route,
  id: 'listCalls',
  method: 'POST',
  path: '/v2/call/list',
  readsOnly: true,
  body: z
    .object({
      page,
      size: z.int().min(1).max(1000).default(50).describe('Items per page'),
      call_types: anyOf(callType).describe('Filter by call type'),
      agent_ids: anyOf(uuid).describe('Filter by assistant'),
      campaign_ids: anyOf(uuid).describe('Filter by campaign'),
      from_numbers: anyOf(z.string()).describe('Filter by calling number (exact match)'),
      to_number: z.string().min(1).max(20).optional().describe('Filter by a substring of the called number'),
      call_id: uuid.optional().describe('Filter by call id'),
      created_after: isoInput.optional().describe('Created at or after this time; with `Z` or an offset'),
      created_before: isoInput.optional().describe('Created at or before this time; with `Z` or an offset'),
      duration_min: z.number().min(0).optional().describe('Minimum duration in seconds'),
      duration_max: z.number().min(0).optional().describe('Maximum duration in seconds'),
      cost_min: z.number().min(0).optional().describe('Minimum cost in cents'),
      cost_max: z.number().min(0).optional().describe('Maximum cost in cents'),
      disconnection_reasons: anyOf(z.string().min(1).max(64)).describe('Filter by disconnection reason'),
    })
    .refine(({ duration_min: min, duration_max: max }) => isOrdered(min, max), notAbove('duration'))
    .refine(({ cost_min: min, cost_max: max }) => isOrdered(min, max), notAbove('cost'))
    .refine(({ created_after: min, created_before: max }) => isOrdered(timeOf(min), timeOf(max)), {
      error: 'must not be later than created_before',
      path: ['created_after'],
    }),
  status: 200,
  envelope: 'list',
  response: callListItem,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN', 'INTERNAL_ERROR'],
  summary: 'List calls, newest first',
  description:
    'All filters are optional and combined with AND. An empty array does not filter; unknown filters are ignored. ' +
    '`next_cursor` is the next page number. A page past the last one returns `INTERNAL_ERROR`; do not retry it.',
  example: {
    size: 100,
    call_types: ['outbound'],
    created_after: '2026-03-01T00:00:00Z',
    disconnection_reasons: ['user_hangup', 'agent_hangup'],
  },
});

export const exportCalls = defineEndpoint({
  ...route,
  id: 'exportCalls',
  method: 'GET',
  path: '/v2/call/export.csv',
  query: z
    .object({
      call_types: queryList(callType, 100).optional().describe('Filter by call type'),
      agent_ids: queryList(uuid, 100).optional().describe('Filter by assistant'),
      campaign_ids: queryList(uuid, 100).optional().describe('Filter by campaign'),
      from_numbers: queryList(z.string(), 100).optional().describe('Filter by calling number (exact match)'),
      to_number: z.string().min(1).max(20).optional().describe('Filter by a substring of the called number'),
      call_id: uuid.optional().describe('Filter by call id'),
      created_after: isoInput.optional().describe('Created at or after this time; with `Z` or an offset'),
      created_before: isoInput.optional().describe('Created at or before this time; with `Z` or an offset'),
      duration_min: queryNumber.optional().describe('Minimum duration in seconds'),
      duration_max: queryNumber.optional().describe('Maximum duration in seconds'),
      cost_min: queryNumber.optional().describe('Minimum cost in cents'),
      cost_max: queryNumber.optional().describe('Maximum cost in cents'),
      disconnection_reasons: queryList(z.string().min(1).max(64), 100)
        .optional()
        .describe('Filter by disconnection reason'),
    })
    .refine(({ duration_min: min, duration_max: max }) => isOrdered(min, max), notAbove('duration'))
    .refine(({ cost_min: min, cost_max: max }) => isOrdered(min, max), notAbove('cost'))
    .refine(({ created_after: min, created_before: max }) => isOrdered(timeOf(min), timeOf(max)), {
      error: 'must not be later than created_before',
      path: ['created_after'],
    }),
  status: 200,
  envelope: 'bare',
  mediaType: 'text/csv; charset=utf-8',
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Download calls as CSV, newest first',
  description:
    'The filters of `POST /v2/call/list`, with several values separated by commas; all matches, without pages. CSV (RFC 4180), ' +
    'UTF-8: a header row, then the fields of the list and `campaign_id` and `summary`. Values that a spreadsheet would ' +
    'interpret as a formula are prefixed with an apostrophe.',
});

export const stopCall = defineEndpoint({
  ...route,
  id: 'stopCall',
  method: 'POST',
  path: '/v2/call/:id/stop',
  params: idParams,
  status: 200,
  envelope: 'data',
  response: callDetail,
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'CONFLICT', 'RATE_LIMITED', 'UNAUTHORIZED', 'FORBIDDEN'],
  answersWithinMs: 30_000,
  summary: 'Hang up a call',
  description:
    'Ends the call with `agent_hangup`, even if it is still queued or ringing. Returns once the call has ended, or with its ' +
    'current state: after two seconds at most, or at once if 16 requests of the workspace wait. `CONFLICT` if it has already ' +
    'ended.',
});

export const legacyCalls = defineEndpoint({
  ...route,
  id: 'legacyCalls',
  method: 'GET',
  path: '/calls',
  // Values outside of their range are clamped by the handler [general.10].
  query: z.object({
    limit: legacyParameter.describe('Items per page, 1-100, default 50; clamped to that range'),
    offset: legacyParameter.describe('Items to skip, default 0'),
    status: legacyParameter.describe(`Filter by status: ${CALL_STATUSES.join(', ')}`),
    callType: legacyParameter.describe(`Filter by call type: ${CALL_TYPES.join(', ')}`),
    callId: legacyParameter.describe(
      'Return this call with additional fields, without `calls` around it; 404 if it does not exist',
    ),
  }),
  status: 200,
  envelope: 'bare',
  response: z.union([
    legacyCallDetail,
    z.object({
      calls: z.array(legacyCall).describe('Newest first'),
      pagination: z
        .object({
          limit: z.int().describe('The value used'),
          offset: z.int().describe('The value used'),
          hasMore: z.boolean().describe('Whether more calls follow: advance `offset` by `limit`'),
        })
        .describe('Position of this page'),
    }),
  ]),
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'VALIDATION_FAILED', 'INTERNAL_ERROR'],
  legacy: true,
  summary: 'List calls, or get one by `callId` (legacy)',
  description:
    'Version 1, without an envelope. Errors are a bare status without a body. `limit` and `offset` are clamped to their ranges; ' +
    'an invalid `callId` returns 404. New integrations should use `POST /v2/call/list` and `GET /v2/call/{id}`.',
});
