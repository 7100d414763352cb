import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { assistantConfigPatch } from '../shapes/assistant-config.ts';
import { callType } from '../shapes/call.ts';
import { callObject, e164, jsonObject, uuid } from '../shapes/primitives.ts';
import { testConversation, testToolEntry, testTurn } from '../shapes/test-turn.ts';

/** Longer than the longest turn, so that the response says what happened until then. */
const ANSWERS_WITHIN_MS = 75_000;

const route = {
  service: 'telephony',
  access: 'private',
  errorMessage401: true,
  tag: 'Assistants',
  method: 'POST',
  status: 200,
  body: z.object({
    agent_id: uuid
      .optional()
      .describe(
        'A stored assistant, whose tools the test can use; missing: an assistant that is not saved yet',
      ),
    config: assistantConfigPatch
      .default({})
      .describe(
        'The configuration as it is being edited. With `agent_id` it is merged into the stored one, as by PATCH; ' +
          'without, it is completed with defaults, as by POST. It is not stored',
      ),
    customer_number: e164
      .optional()
      .describe("The human's number in an `inbound` or `outbound` test; by default a fictional one"),
    call_type: callType.default('web').describe('As which kind of call the assistant is tested'),
    ...testConversation,
  }),
  errors: [
    'VALIDATION_FAILED',
    'NOT_FOUND',
    'CONFLICT',
    'RATE_LIMITED',
    'UNAUTHORIZED',
    'FORBIDDEN',
    'SERVICE_UNAVAILABLE',
  ],
  answersWithinMs: ANSWERS_WITHIN_MS,
  example: {
    config: { systemPrompt: 'You confirm appointments. The caller is {{contact_name}}.' },
    dynamic_variables: { contact_name: 'Grace' },
    transcript: [{ role: 'agent', content: 'Hello Grace, this is Ada.' }],
    message: 'Is my appointment tomorrow?',
  },
} as const;

export const testAssistant = defineEndpoint({
  ...route,
  id: 'testAssistant',
  path: '/v1/assistant/test-turn',
  envelope: 'data',
  response: testTurn,
  summary: 'Talk to an assistant by text, without a call and without saving it',
  description:
    "Returns the assistant's next turn. The conversation is kept by the client: send the entries of all responses, and " +
    'the messages, as `transcript`. Nothing is stored, no call is created, and no webhook is sent. Custom tools are ' +
    'really called, marked by the header `x-test-call: true`, and with POST also by `"test": true` in the signed body. ' +
    'Native tools are simulated. `CONFLICT` for a model that needs audio. At most 60 turns per minute and workspace, ' +
    'and ten at a time; a turn takes at most 60 seconds.',
});

export const streamAssistantTest = defineEndpoint({
  ...route,
  id: 'streamAssistantTest',
  path: '/v1/assistant/test-turn/stream',
  envelope: 'bare',
  mediaType: 'application/x-ndjson',
  summary: 'Talk to an assistant by text, and follow its turn as it happens',
  description:
    'The turn of `POST /v1/assistant/test-turn` as lines of JSON, each sent when it happens: `{"type": "tool_started", ' +
    '"tool_call_id", "tool_name", "arguments"}`; `{"type": "entry", "entry"}` for each entry; at the end `{"type": "turn", "turn"}` ' +
    'with the whole turn, all entries included, or `{"type": "error", "error"}`. What fails before the first line is an ordinary ' +
    'error response. Types of lines may be added.',
});

/** Longer than the longest timeout of a tool. */
const TOOL_ANSWERS_WITHIN_MS = 310_000;

export const testTool = defineEndpoint({
  service: 'telephony',
  access: 'private',
  tag: 'Tools',
  id: 'testTool',
  errorMessage401: true,
  method: 'POST',
  path: '/v1/tool/custom/test',
  body: z.object({
    agent_id: uuid.describe('The assistant that the tool belongs to'),
    tool_id: uuid.describe('A custom tool, as it is stored'),
    arguments: jsonObject.default({}).describe('Arguments, as the model would choose them'),
    dynamic_variables: callObject
      .default({})
      .describe('`dynamic_variables` of the call in the request to a POST endpoint'),
  }),
  status: 200,
  envelope: 'data',
  response: testToolEntry,
  errors: [
    'VALIDATION_FAILED',
    'NOT_FOUND',
    'RATE_LIMITED',
    'UNAUTHORIZED',
    'FORBIDDEN',
    'SERVICE_UNAVAILABLE',
  ],
  answersWithinMs: TOOL_ANSWERS_WITHIN_MS,
  summary: 'Call the endpoint of a custom tool once',
  description:
    'The request is the one of a call, with the stored headers and signature, and is marked like those of ' +
    '`POST /v1/assistant/test-turn`. What goes wrong at the endpoint, and arguments that do not fit the tool, are in `error` of ' +
    'the response, as the assistant would get it. Nothing is stored.',
  example: {
    agent_id: '0197f3b2-5c1e-7d40-9a3b-2f6f1c0d8e11',
    tool_id: '0197f3b2-5c1e-7d40-9a3b-2f6f1c0d8e12',
    arguments: { day: 'Friday' },
  },
});
