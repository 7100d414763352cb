import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { idParams, jsonObject, offsetPage, page, uuid } from '../shapes/primitives.ts';
import { tool } from '../shapes/tool.ts';
import {
  customToolChange,
  customToolFields,
  nativeToolChanges,
  nativeToolFields,
} from '../shapes/tool-fields.ts';

const route = { service: 'assistants', access: 'private', errorMessage401: true, tag: 'Tools' } as const;

/** `CONFLICT` is also returned when concurrent changes of the assistant keep winning; the request can be repeated. */
const CHANGE_ERRORS = ['VALIDATION_FAILED', 'NOT_FOUND', 'CONFLICT', 'UNAUTHORIZED', 'FORBIDDEN'] as const;

const ADDING =
  "The tool's id is appended to the assistant's `config.toolIds` in the same transaction. Unknown fields are " +
  'ignored. `CONFLICT`: the assistant already has a tool of that name. An assistant has at most 200 tools by ' +
  'default, including native ones: a further custom tool is `VALIDATION_FAILED` with code `too_big` for ' +
  '`agent_id`; native tools are always accepted.';

const owner = { agent_id: uuid.describe('The assistant that owns the tool') };
const { headers, timeout_seconds: timeoutSeconds } = customToolFields.shape;

export const createCustomTool = defineEndpoint({
  ...route,
  id: 'createCustomTool',
  method: 'POST',
  path: '/v1/tool/custom',
  body: customToolFields
    .partial({
      description: true,
      parameters: true,
      tool_behavior: true,
      result_scheduling: true,
      webhook_secret: true,
    })
    .extend({ ...owner, headers: headers.default({}), timeout_seconds: timeoutSeconds.default(30) }),
  status: 201,
  envelope: 'data',
  response: tool,
  errors: CHANGE_ERRORS,
  idempotent: true,
  summary: 'Add a custom tool to an assistant',
  description: ADDING,
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
  summary: 'Update a custom tool',
  description:
    'Missing fields stay unchanged, and the resulting tool is validated as a whole; unknown fields, including ' +
    '`agent_id`, are ignored. `headers` is replaced as a whole: a value of `********` keeps the stored value of ' +
    'that name, and null removes all. `webhook_secret` stays unless it is sent. Switching back to `blocking` clears ' +
    '`result_scheduling`. `NOT_FOUND` for a native tool.',
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
      tool_name: z.literal('transfer_call').describe('Lets the assistant transfer the call'),
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
  summary: 'Add a native tool to an assistant and enable it',
  description: ADDING,
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
  /** Any object: validated with the entry of `nativeToolChanges` for the tool that is changed. */
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
  summary: 'Update a native tool',
  description:
    "Missing fields stay unchanged; fields of other kinds, `agent_id` and `tool_name` are ignored. The assistant's " +
    '`config.nativeTools` reflects the change. To enable or disable the tool, update the assistant. `********` for ' +
    '`telco_account_sid` or `telco_auth_token` keeps the stored value; null for both removes them. `NOT_FOUND` for ' +
    'a custom tool.',
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
  summary: 'Delete a custom or native tool',
  description:
    "Its id is removed from the assistant's `config.toolIds`. A native tool is disabled in `config.nativeTools`, " +
    'which keeps its settings.',
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
  summary: 'Get a tool, with masked secrets',
  description: '`NOT_FOUND` for tools of other workspaces.',
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
    size: z.int().min(1).max(100).default(10).describe('Items per page'),
    search: z.string().min(1).max(255).optional().describe('Case-insensitive substring of the name'),
    is_native: z.literal(true).optional().describe('True: native tools only. Omit it for both kinds'),
  }),
  status: 200,
  envelope: 'list',
  response: tool,
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'UNAUTHORIZED', 'FORBIDDEN', 'INTERNAL_ERROR'],
  summary: "List an assistant's tools, newest first",
  description:
    '`next_cursor` is the next page number. A page past the last one returns `INTERNAL_ERROR`; do not retry it.',
  example: { agent_id: '0197f3b2-5c1e-7d40-9a3b-2f6f1c0d8e11' },
});

export const listWorkspaceTools = defineEndpoint({
  ...route,
  id: 'listWorkspaceTools',
  method: 'GET',
  path: '/v1/tool',
  query: z.object({
    ...offsetPage(),
    search: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe("Case-insensitive part of the name, of the endpoint or of the assistant's name"),
    kind: z.enum(['custom', 'native']).optional().describe('Only tools of this kind'),
  }),
  status: 200,
  envelope: 'list',
  response: tool.extend({ agent_name: z.string().describe('Name of the assistant that owns the tool') }),
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'List the tools of all assistants, newest first',
  description: '`next_cursor` is the next offset; an offset past the end returns an empty list.',
});
