import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { callData, callDetail, callStatus, disconnectionReason } from '../shapes/call.ts';
import { isoMillis, OPEN_ENUM, uuid } from '../shapes/primitives.ts';

const route = { service: 'telephony', tag: 'Web calls', envelope: 'data' } as const;

/** Shared by both ways to start a web call [web-calls.1]. */
const start = {
  ...route,
  method: 'POST',
  body: z.object({
    agent_id: uuid.describe('The assistant'),
    ...callData,
  }),
  status: 201,
  response: callDetail.extend({
    access_token: z
      .string()
      .describe(
        'Token for joining this call, sent as `x-access-token`; valid until five minutes after the call ends',
      ),
    server_url: z
      .string()
      .meta({ format: 'uri' })
      .describe('Base URL for joining the call, with the paths of `/widget/session`'),
    expires_at: isoMillis.describe('If it is not joined by then, the call ends with `error_user_not_joined`'),
  }),
  errors: [
    'VALIDATION_FAILED',
    'NOT_FOUND',
    'CONCURRENCY_LIMIT',
    'RATE_LIMITED',
    'UNAUTHORIZED',
    'FORBIDDEN',
  ],
  idempotent: true,
  example: { agent_id: '0197f3b2-5c1e-7d40-9a3b-2f6f1c0d8e11', dynamic_variables: { contact_name: 'Grace' } },
} as const;

export const createWebCall = defineEndpoint({
  ...start,
  access: 'private',
  id: 'createWebCall',
  path: '/v2/call/web',
  summary: 'Start a web call',
  description:
    'If it is not joined within 60 seconds, it ends with `error_user_not_joined`. Web calls have no phone numbers and ' +
    'no `call_sid`.',
});

export const createWidgetCall = defineEndpoint({
  ...start,
  access: 'widget',
  id: 'createWidgetCall',
  path: '/widget/call',
  summary: 'Start a web call from the browser widget',
  description:
    'Like `POST /v2/call/web`, and the only request that accepts a public key. The settings of the key restrict it: ' +
    'origins, assistants, rates and concurrent calls (`FORBIDDEN`, `RATE_LIMITED`, `CONCURRENCY_LIMIT`), and ' +
    'variables under either name (`VALIDATION_FAILED`; at most 4 KiB, `metadata` 2 KiB). The body has at most 64 KiB.',
});

const session = {
  ...route,
  access: 'open',
  callToken: true,
  status: 200,
  errors: ['UNAUTHORIZED', 'VALIDATION_FAILED', 'CONFLICT', 'RATE_LIMITED'],
} as const;

const state = z.object({
  call_id: uuid.describe('The call'),
  status: callStatus.describe('Status of the call'),
  disconnection_reason: disconnectionReason
    .meta(OPEN_ENUM)
    .nullable()
    .describe('Why the call ended; null before the end. Values may be added'),
});

const TOKEN =
  "Authenticated by the call's `access_token` in `x-access-token`, without an API key; pages of any origin may " +
  'call it. Returns 401 from five minutes after the end of the call.';

/** Identifies one visitor's browser over reconnections. */
const participant = z
  .string()
  .regex(/^[A-Za-z0-9_-]{16,64}$/, { error: 'must be 16-64 characters of A-Z a-z 0-9 _ -' })
  .describe(
    "A random value that the visitor's browser keeps for the call: with it the browser reconnects, without it no other takes its place",
  );

export const describeWebCall = defineEndpoint({
  ...session,
  id: 'describeWebCall',
  method: 'GET',
  path: '/widget/session',
  response: state.extend({
    audio: z
      .boolean()
      .describe(
        'Whether the call can be spoken; otherwise it is text, since no speech provider is configured',
      ),
    ice_servers: z
      .array(
        z.object({
          urls: z.array(z.string()).describe('STUN and TURN URLs'),
          username: z.string().optional().describe('Valid for some hours'),
          credential: z.string().optional().describe('Password of `username`'),
        }),
      )
      .describe('For `RTCPeerConnection`; usually empty'),
  }),
  summary: 'Get the state of a web call, and how it can be joined',
  description: TOKEN,
});

/** Longer than the handler waits for a worker. */
const OFFER_ANSWERS_WITHIN_MS = 15_000;

export const offerWebCall = defineEndpoint({
  ...session,
  id: 'offerWebCall',
  method: 'POST',
  path: '/widget/session/offer',
  body: z.object({
    sdp: z
      .string()
      .min(1)
      .max(12_000)
      .describe('SDP offer of one audio stream and, optionally, data channels'),
    participant,
  }),
  response: state.extend({
    sdp: z.string().describe('SDP answer, with all candidates: there is no trickling in either direction'),
  }),
  errors: [...session.errors, 'SERVICE_UNAVAILABLE'],
  answersWithinMs: OFFER_ANSWERS_WITHIN_MS,
  summary: 'Join a web call by WebRTC, or reconnect to it',
  description:
    `${TOKEN} The assistant answers when the connection is up. Later offers of the same participant replace the connection, ` +
    'within 20 seconds of its loss. `CONFLICT` for another participant, for a call that was joined by text, and once the ' +
    'call has ended. The negotiated data channel 0 carries events as JSON (docs/web-calls.md). If no connection comes up, ' +
    'WebSocket `/widget/session/audio` with the subprotocols `parley-audio`, `access_token` and `participant` carries the ' +
    'same call as PCM.',
  example: { sdp: 'v=0\r\n…', participant: 'Yk3mVvYf0b6bUe2sX9aQ1w' },
});

export const joinWebCall = defineEndpoint({
  ...session,
  id: 'joinWebCall',
  method: 'POST',
  path: '/widget/session/join',
  response: state,
  summary: 'Join a web call',
  description: `${TOKEN} The assistant answers; both sides exchange text. Can be repeated. A spoken call is joined by \`POST /widget/session/offer\` instead. \`CONFLICT\` once the call has ended.`,
});

export const sendWebCallMessage = defineEndpoint({
  ...session,
  id: 'sendWebCallMessage',
  method: 'POST',
  path: '/widget/session/messages',
  body: z.object({ text: z.string().trim().min(1).max(2_000).describe('What the caller says') }),
  status: 202,
  response: state,
  summary: 'Send a message in a web call',
  description:
    `${TOKEN} \`CONFLICT\` after the call has ended; with \`details\`, the call goes on: before it is joined, when too many ` +
    'messages are waiting for the assistant, and at the maximum text of a call of a public key.',
  example: { text: 'Hello, is anyone there?' },
});

export const readWebCall = defineEndpoint({
  ...session,
  id: 'readWebCall',
  method: 'GET',
  path: '/widget/session/messages',
  query: z.object({
    after: z
      .string()
      .regex(/^\d{1,9}$/, { error: 'must be a whole number' })
      .transform(Number)
      .optional()
      .describe('`seq` of the last message received; omit it for all messages'),
  }),
  response: state.extend({
    messages: z
      .array(
        z.object({
          seq: z.int().describe('Sequence number, increasing'),
          role: z.enum(['user', 'agent']).describe('The speaker'),
          content: z.string().describe('Text of the message'),
          at: isoMillis.describe('Time of the message'),
        }),
      )
      .describe('In order, after `after`'),
  }),
  summary: 'Get the messages of a web call, at most 100 per request',
  description: `${TOKEN} Returns immediately; poll for further messages.`,
});

export const leaveWebCall = defineEndpoint({
  ...session,
  id: 'leaveWebCall',
  method: 'POST',
  path: '/widget/session/leave',
  response: state,
  summary: 'Leave and end a web call',
  description: `${TOKEN} The call ends with \`user_hangup\`, also while it waits for a worker. \`CONFLICT\` before it is joined, and once it has ended.`,
});
