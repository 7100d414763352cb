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
    to_number: e164,
    from_number: e164,
    agent_id: uuid.optional(),
    dynamic_variables: jsonObject.optional(),
    dynamicVariables: jsonObject.optional().describe('The same, as version 1 spelled it'),
    metadata: jsonObject.default({}),
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
  params: z.object({ key: z.string().regex(/^[\w-][\w.-]{0,99}$/) }),
  query: z.object({ expires: linkPart, signature: linkPart }),
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
  body: z.object({
    page,
    size: z.int().min(1).max(1000).default(50),
    call_types: anyOf(callType),
    agent_ids: anyOf(uuid),
    campaign_ids: anyOf(uuid),
    from_numbers: anyOf(z.string()),
    to_number: z.string().min(1).max(20).optional().describe('Part of the called number'),
    call_id: uuid.optional(),
    created_after: isoInput.optional(),
    created_before: isoInput.optional(),
    duration_min: z.number().optional(),
    duration_max: z.number().optional(),
    cost_min: z.number().optional(),
    cost_max: z.number().optional(),
    disconnection_reasons: anyOf(z.string().min(1).max(64)),
  }),
  status: 200,
  envelope: 'list',
  response: callListItem,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN', 'INTERNAL_ERROR'],
  summary: 'List calls, newest first',
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
    limit: legacyParameter,
    offset: legacyParameter,
    status: legacyParameter.describe(CALL_STATUSES.join(', ')),
    callType: legacyParameter.describe(CALL_TYPES.join(', ')),
    callId: legacyParameter,
  }),
  status: 200,
  envelope: 'bare',
  response: z.union([
    legacyCallDetail,
    z.object({
      calls: z.array(legacyCall),
      pagination: z.object({ limit: z.int(), offset: z.int(), hasMore: z.boolean() }),
    }),
  ]),
  errors: ['UNAUTHORIZED', 'NOT_FOUND', 'INTERNAL_ERROR'],
  legacy: true,
  summary: 'List calls, or read one with `callId` (legacy)',
});
