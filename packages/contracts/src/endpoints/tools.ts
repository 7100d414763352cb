import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { idParams, jsonObject, page, uuid } from '../shapes/primitives.ts';
import { tool } from '../shapes/tool.ts';
import {
  customToolChange,
  customToolFields,
  nativeToolChanges,
  nativeToolFields,
} from '../shapes/tool-fields.ts';

const route = { service: 'assistants', access: 'private', errorMessage401: true, tag: 'Tools' } as const;

/** `CONFLICT` also where the assistant is being changed all the time: the same request may simply be repeated. */
const CHANGE_ERRORS = ['VALIDATION_FAILED', 'NOT_FOUND', 'CONFLICT', 'UNAUTHORIZED', 'FORBIDDEN'] as const;

const owner = { agent_id: uuid.describe('The assistant that will own the tool') };
const { headers, timeout_seconds: timeoutSeconds } = customToolFields.shape;

export const createCustomTool = defineEndpoint({
  ...route,
  id: 'createCustomTool',
  method: 'POST',
  path: '/v1/tool/custom',
  body: customToolFields
    .partial({ description: true, parameters: true, tool_behavior: true, result_scheduling: true })
    .extend({ ...owner, headers: headers.default({}), timeout_seconds: timeoutSeconds.default(30) }),
  status: 201,
  envelope: 'data',
  response: tool,
  errors: CHANGE_ERRORS,
  idempotent: true,
  summary: 'Add a custom tool to an assistant',
  description:
    "`config.toolIds` of the assistant gets the tool's id at its end, or there is no tool. Unknown fields are ignored. " +
    '`CONFLICT`: the assistant has a tool of that name. An assistant has at most 200 tools by default, native ones among ' +
    'them: one more custom tool is `VALIDATION_FAILED` with `agent_id` `too_big`; native ones are never refused for it.',
  example: {
    agent_id: '0197f3b2-5c1e-7d40-9a3b-2f6f1c0d8e11',
    tool_name: 'check_availability',
    description: 'Checks whether a day is free',
    endpoint_url: 'https://example.com/availability',
    http_method: 'POST',
    headers: { authorization: 'Bearer of-your-own' },
    parameters: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
    timeout_seconds: 10,
  },
});

export const updateCustomTool = defineEndpoint({
  ...route,
  id: 'updateCustomTool',
  method: 'PUT',
  path: '/v1/tool/custom/:id',
  params: idParams,
  body: customToolChange,
  status: 200,
  envelope: 'data',
  response: tool,
  errors: CHANGE_ERRORS,
  summary: 'Change a custom tool',
  description:
    'Only the fields that are sent change, and the tool as it is then is checked as a whole; unknown fields, `agent_id` ' +
    'among them, are ignored. `headers` are replaced whole: a value of `********` keeps what is saved under that name, ' +
    'and null removes all. Going back to `blocking` clears `result_scheduling`. `NOT_FOUND` for the id of a native tool.',
  example: { description: 'Checks whether a day and hour are free', headers: { authorization: '********' } },
});

const { end_call: endCall, transfer_call: transferCall, send_sms: sendSms } = nativeToolFields;

export const createNativeTool = defineEndpoint({
  ...route,
  id: 'createNativeTool',
  method: 'POST',
  path: '/v1/tool/native',
  body: z.discriminatedUnion('tool_name', [
    endCall
      .partial()
      .extend({ ...owner, tool_name: z.literal('end_call').describe('Lets the assistant hang up') }),
    transferCall.partial().extend({
      ...owner,
      tool_name: z.literal('transfer_call').describe('Lets the assistant hand the call over'),
      transfer_call_mode: transferCall.shape.transfer_call_mode.default('static'),
      transfer_call_type: transferCall.shape.transfer_call_type.default('cold'),
    }),
    sendSms.partial().extend({
      ...owner,
      tool_name: z.literal('send_sms').describe('Lets the assistant send a text message'),
      sms_content_type: sendSms.shape.sms_content_type.default('prompt'),
      timeout_seconds: timeoutSeconds.default(30),
    }),
  ]),
  status: 201,
  envelope: 'data',
  response: tool,
  errors: CHANGE_ERRORS,
  idempotent: true,
  summary: 'Add a native tool to an assistant and switch it on',
  description:
    "`config.toolIds` of the assistant gets the tool's id at its end, and `config.nativeTools` shows it on, with its settings. " +
    'Each kind takes only its own fields, others are ignored: `timeout_seconds` counts for `send_sms` alone. ' +
    '`CONFLICT`: the assistant has that native tool, on or off; one that is off is switched on by `config.nativeTools` of ' +
    '`PATCH /v1/assistant/{id}`.',
  example: {
    agent_id: '0197f3b2-5c1e-7d40-9a3b-2f6f1c0d8e11',
    tool_name: 'transfer_call',
    transfer_call_destination: '+14155550123',
  },
});

export const updateNativeTool = defineEndpoint({
  ...route,
  id: 'updateNativeTool',
  method: 'PUT',
  path: '/v1/tool/native/:id',
  params: idParams,
  /** Any object: what counts in it, `nativeToolChanges` says for the tool that is changed. */
  body: jsonObject.meta({
    anyOf: Object.entries(nativeToolChanges).map(([title, fields]) => {
      const { $schema: _, ...schema } = z.toJSONSchema(fields, { io: 'input' });
      return { title, ...schema };
    }),
  }),
  status: 200,
  envelope: 'data',
  response: tool,
  errors: CHANGE_ERRORS,
  summary: "Change a native tool's settings",
  description:
    "Only the fields of its kind that are sent change, and the assistant's `config.nativeTools` follows; others, " +
    '`agent_id` and `tool_name` among them, are ignored. Switching it on and off is the ' +
    "assistant's business. `********` for `telco_account_sid` or `telco_auth_token` keeps what is saved, null for both " +
    'removes them. `NOT_FOUND` for the id of a custom tool.',
  example: { transfer_call_destination: '+14155550124' },
});

export const deleteTool = defineEndpoint({
  ...route,
  id: 'deleteTool',
  method: 'DELETE',
  path: '/v1/tool/:id',
  params: idParams,
  status: 204,
  envelope: 'none',
  errors: CHANGE_ERRORS,
  summary: 'Delete a tool of either kind',
  description:
    "Its id leaves the assistant's `config.toolIds`. A native tool is switched off in `config.nativeTools`, which keeps its " +
    'settings for the next time that it is switched on.',
});

export const getTool = defineEndpoint({
  ...route,
  id: 'getTool',
  method: 'GET',
  path: '/v1/tool/:id',
  params: idParams,
  status: 200,
  envelope: 'data',
  response: tool,
  errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Read one tool, its secrets masked',
  description: '`NOT_FOUND` also for a tool of another workspace.',
});

export const listTools = defineEndpoint({
  ...route,
  id: 'listTools',
  method: 'POST',
  path: '/v1/tool/list',
  readsOnly: true,
  body: z.object({
    agent_id: uuid.describe('The assistant whose tools are listed'),
    page,
    size: z.int().min(1).max(100).default(10).describe('Items a page'),
    search: z.string().min(1).max(255).optional().describe('Case-insensitive part of the name'),
    is_native: z.literal(true).optional().describe('Native tools alone; left out: both kinds'),
  }),
  status: 200,
  envelope: 'list',
  response: tool,
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'UNAUTHORIZED', 'FORBIDDEN', 'INTERNAL_ERROR'],
  summary: "List one assistant's tools, newest first",
  description: 'A page past the last one answers `INTERNAL_ERROR` every time.',
  example: { agent_id: '0197f3b2-5c1e-7d40-9a3b-2f6f1c0d8e11' },
});
