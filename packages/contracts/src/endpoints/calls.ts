import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import {
  CALL_STATUSES,
  CALL_TYPES,
  callDetail,
  callListItem,
  callType,
  legacyCall,
  legacyCallDetail,
} from '../shapes/call.ts';
import { e164, idParams, isoInput, jsonObject, page, uuid } from '../shapes/primitives.ts';
import { timelineEntry } from '../shapes/timeline.ts';

const route = { service: 'telephony', access: 'private', tag: 'Calls' } as const;

/** An array filter: empty is no filter, at most 100 values (spec: POST /v2/call/list). */
const anyOf = <T extends z.ZodType>(item: T) => z.array(item).max(100).optional();

/** One that is given twice counts as not given: legacy routes know no 422 (D1.3). */
const legacyParameter = z.string().optional().catch(undefined);

export const createPhoneCall = defineEndpoint({
  ...route,
  id: 'createPhoneCall',
  method: 'POST',
  path: '/v2/call',
  errorMessage401: true,
  body: z.object({
    to_number: e164.describe('Whom to call'),
    from_number: e164.describe('A number of the workspace that is active'),
    agent_id: uuid
      .optional()
      .describe('The assistant that talks; left out: the `outbound_agent_id` of `from_number`'),
    dynamic_variables: jsonObject
      .optional()
      .describe("Fill `{{placeholders}}` of the assistant's prompt and messages"),
    dynamicVariables: jsonObject.optional().describe('The same, as version 1 spelled it'),
    metadata: jsonObject.default({}).describe('Yours: kept with the call and returned as it is'),
  }),
  status: 201,
  envelope: 'data',
  response: callDetail,
  errors: [
    'VALIDATION_FAILED',
    'NOT_FOUND',
    'DO_NOT_CALL',
    'CONCURRENCY_LIMIT',
    'RATE_LIMITED',
    'UNAUTHORIZED',
    'FORBIDDEN',
  ],
  idempotent: true,
  summary: 'Place an outbound call',
  description:
    'Answers at once with the call `queued`; it is dialled as soon as the `max_cps` of the number allows. `NOT_FOUND`: the number or the assistant is not of the workspace. A number that is not active, and a call without any assistant, are `VALIDATION_FAILED`. The last four digits of `to_number` choose what the simulated carrier does.',
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
  summary: 'Read one call with its transcript, summary and analysis',
  description:
    'The id is the one of the creation and the `call_id` of its webhooks. Transcript, summary and analysis come within seconds of the end, and up to 3 hours later where the analysis fails.',
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
  summary: 'Read what happened to a call, in order',
  description:
    'From the queue to the analysis, with every turn and every tool that was used. Entries of new types may appear.',
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
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'CONFLICT', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Rebuild the transcript of a call from its recording',
  description:
    'Fills `enhanced_transcript`, raises `transcript_fix_count` and sends `call_analyzed` again, with the better ' +
    'transcript and a new `webhook-id`. Up to five times per call; `CONFLICT` after that, while the call is live, and ' +
    'where it has no recording.',
});

const linkPart = z.string().optional().catch(undefined);

export const getRecording = defineEndpoint({
  service: 'telephony',
  access: 'open',
  tag: 'Calls',
  id: 'getRecording',
  method: 'GET',
  path: '/recordings/:key',
  params: z.object({
    key: z
      .string()
      .regex(/^[\w-][\w.-]{0,99}$/)
      .describe('Names the file'),
  }),
  query: z.object({
    expires: linkPart.describe('Until when the link is good'),
    signature: linkPart.describe('What makes the link good'),
  }),
  badIdCode: 'NOT_FOUND',
  status: 200,
  envelope: 'bare',
  errors: ['FORBIDDEN', 'NOT_FOUND', 'RATE_LIMITED'],
  summary: 'Download a recording',
  description:
    'Where the `recording_url` of a call leads. It needs no key: its signature is one, for an hour (`FORBIDDEN` after ' +
    'that; read the call again for a new one), and for seven days in a `call_analyzed` event. WAV with two channels, left the human, right the assistant. `Range` is ' +
    'answered with 206 or 416.',
});

export const listCalls = defineEndpoint({
  ...route,
  id: 'listCalls',
  method: 'POST',
  path: '/v2/call/list',
  readsOnly: true,
  body: z.object({
    page,
    size: z.int().min(1).max(1000).default(50).describe('Items a page'),
    call_types: anyOf(callType).describe('Ways that calls went'),
    agent_ids: anyOf(uuid).describe('Assistants of the calls'),
    campaign_ids: anyOf(uuid).describe('Campaigns that placed the calls'),
    from_numbers: anyOf(z.string()).describe('Calling numbers, exactly as stored'),
    to_number: z.string().min(1).max(20).optional().describe('Part of the called number'),
    call_id: uuid.optional().describe('One call'),
    created_after: isoInput.optional().describe('Created then or later; with `Z` or an offset'),
    created_before: isoInput.optional().describe('Created then or earlier; with `Z` or an offset'),
    duration_min: z.number().optional().describe('Seconds, inclusive'),
    duration_max: z.number().optional().describe('Seconds, inclusive'),
    cost_min: z.number().optional().describe('Cents, inclusive'),
    cost_max: z.number().optional().describe('Cents, inclusive'),
    disconnection_reasons: anyOf(z.string().min(1).max(64)).describe('How the calls ended'),
  }),
  status: 200,
  envelope: 'list',
  response: callListItem,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN', 'INTERNAL_ERROR'],
  summary: 'List calls, newest first',
  description:
    'All filters are optional and hold together; an empty list is no filter, and a filter of another name is ignored. `next_cursor` is the next page number. A page past the last one answers `INTERNAL_ERROR` every time.',
  example: {
    size: 100,
    call_types: ['outbound'],
    created_after: '2026-03-01T00:00:00Z',
    disconnection_reasons: ['user_hangup', 'agent_hangup'],
  },
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
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'CONFLICT', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Hang up',
  description:
    'Ends the call as `agent_hangup`, also one that is still queued or ringing. Answers with the call when it is over, or ' +
    'after two seconds with the call as it is then. 409 once it is over.',
});

export const legacyCalls = defineEndpoint({
  ...route,
  id: 'legacyCalls',
  method: 'GET',
  path: '/calls',
  // Values out of their range are brought into it (D1.3); the handler of telephony does that.
  query: z.object({
    limit: legacyParameter.describe('How many, 1-100, 50 by default; brought into that range'),
    offset: legacyParameter.describe('How many to skip; 0 by default'),
    status: legacyParameter.describe(`Only calls in this state: ${CALL_STATUSES.join(', ')}`),
    callType: legacyParameter.describe(`Only calls of this type: ${CALL_TYPES.join(', ')}`),
    callId: legacyParameter.describe(
      'One call by its id, with its extra fields and without `calls` around it; 404 where there is none',
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
          limit: z.int().describe('As it was read'),
          offset: z.int().describe('As it was read'),
          hasMore: z.boolean().describe('More follow: advance `offset` by `limit`'),
        })
        .describe('Where this page stands'),
    }),
  ]),
  errors: ['UNAUTHORIZED', 'NOT_FOUND', 'INTERNAL_ERROR'],
  legacy: true,
  summary: 'List calls, or read one with `callId` (legacy)',
  description:
    'Version 1: without an envelope, and an error is the bare status. Parameters out of their range are brought into it; a `callId` that is none is 404. Use `POST /v2/call/list` and `GET /v2/call/{id}` in what is new.',
});
