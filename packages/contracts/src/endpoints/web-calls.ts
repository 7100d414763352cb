import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { callDetail, callStatus, disconnectionReason } from '../shapes/call.ts';
import { isoMillis, jsonObject, uuid } from '../shapes/primitives.ts';

const route = { service: 'telephony', tag: 'Web calls', envelope: 'data' } as const;

/** What both ways to a web call share (D6.2). */
const start = {
  ...route,
  method: 'POST',
  body: z.object({
    agent_id: uuid.describe('The assistant that talks'),
    dynamic_variables: jsonObject
      .default({})
      .describe("Fill `{{placeholders}}` of the assistant's prompt and messages"),
    metadata: jsonObject.default({}).describe('Yours: kept with the call and returned as it is'),
  }),
  status: 201,
  response: callDetail.extend({
    access_token: z
      .string()
      .describe('Lets one person into this call, as `x-access-token`, until five minutes after its end'),
    server_url: z.string().describe('Where the call is joined: its paths are those of /widget/session'),
    expires_at: isoMillis.describe('Not joined by then, the call ends as `error_user_not_joined`'),
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
    'Not joined within 60 seconds, it ends as `error_user_not_joined`. It has no numbers and no `call_sid`.',
});

export const createWidgetCall = defineEndpoint({
  ...start,
  access: 'widget',
  id: 'createWidgetCall',
  path: '/widget/call',
  summary: 'Start a web call from the browser widget',
  description: 'The same as `POST /v2/call/web`, and the one request that a public key may make.',
});

const session = {
  ...route,
  access: 'open',
  status: 200,
  errors: ['UNAUTHORIZED', 'VALIDATION_FAILED', 'CONFLICT', 'RATE_LIMITED'],
} as const;

const state = z.object({
  call_id: uuid.describe('The call'),
  status: callStatus.describe('How far it is'),
  disconnection_reason: disconnectionReason.nullable().describe('How it ended; null before the end'),
});

const TOKEN =
  'Wants the `access_token` of the call as `x-access-token`, and no key; pages of every origin may ask. 401 from five ' +
  'minutes after the end of the call.';

export const joinWebCall = defineEndpoint({
  ...session,
  id: 'joinWebCall',
  method: 'POST',
  path: '/widget/session/join',
  response: state,
  summary: 'Join a web call',
  description: `${TOKEN} The assistant answers; what is said travels as text. May be repeated; 409 once the call is over.`,
});

export const sayInWebCall = defineEndpoint({
  ...session,
  id: 'sayInWebCall',
  method: 'POST',
  path: '/widget/session/messages',
  body: z.object({ text: z.string().trim().min(1).max(2_000).describe('What the human says') }),
  status: 202,
  response: state,
  summary: 'Say something in a web call',
  description: `${TOKEN} 409 before the call was joined, once it is over, and when the assistant is far behind.`,
  example: { text: 'Hello, is anybody there?' },
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
      .describe('`seq` of the last message that is known; without it all are told'),
  }),
  response: state.extend({
    messages: z
      .array(
        z.object({
          seq: z.int().describe('Grows from message to message'),
          role: z.enum(['user', 'agent']).describe('Who said it'),
          content: z.string().describe('What was said'),
          at: isoMillis.describe('When'),
        }),
      )
      .describe('In order, from `after` on'),
  }),
  summary: 'What was said in a web call, at most 100 messages at once',
  description: `${TOKEN} Answers at once: ask again for what follows.`,
});

export const leaveWebCall = defineEndpoint({
  ...session,
  id: 'leaveWebCall',
  method: 'POST',
  path: '/widget/session/leave',
  response: state,
  summary: 'Leave a web call, which ends it',
  description: `${TOKEN} The call ends as \`user_hangup\`. 409 once it is over.`,
});
