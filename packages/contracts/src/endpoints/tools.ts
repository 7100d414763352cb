import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { idParams, jsonObject, page, uuid } from '../shapes/primitives.ts';
import { tool } from '../shapes/tool.ts';

const route = { service: 'assistants', access: 'private', errorMessage401: true, tag: 'Tools' } as const;

export const createCustomTool = defineEndpoint({
  ...route,
  id: 'createCustomTool',
  method: 'POST',
  path: '/v1/tool/custom',
  // What depends on several fields or on the schema's nesting is judged by the tool policies of the assistants service.
  body: z.object({
    agent_id: uuid,
    tool_name: z
      .string()
      .trim()
      .min(1)
      .max(64)
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, {
        error: 'must begin with a letter or underscore and hold letters, digits and underscores alone',
      }),
    description: z.string().max(10_000).nullable().optional(),
    endpoint_url: z.string().min(1).max(2048),
    http_method: z
      .string()
      .transform((method) => method.toUpperCase())
      .pipe(z.enum(['GET', 'POST'])),
    headers: jsonObject.default({}),
    parameters: jsonObject.nullable().optional(),
    timeout_seconds: z.int().min(5).max(300).default(30),
    tool_behavior: z.enum(['blocking', 'non_blocking']).nullable().optional(),
    result_scheduling: z.enum(['when_idle', 'silent']).nullable().optional(),
  }),
  status: 201,
  envelope: 'data',
  response: tool,
  errors: ['VALIDATION_FAILED', 'CONFLICT', 'NOT_FOUND', 'UNAUTHORIZED', 'FORBIDDEN'],
  idempotent: true,
  summary: 'Add a custom tool to an assistant',
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
});

export const listTools = defineEndpoint({
  ...route,
  id: 'listTools',
  method: 'POST',
  path: '/v1/tool/list',
  body: z.object({
    agent_id: uuid,
    page,
    size: z.int().min(1).max(100).default(10),
    search: z.string().min(1).max(255).optional().describe('Case-insensitive part of the name'),
    is_native: z.literal(true).optional(),
  }),
  status: 200,
  envelope: 'list',
  response: tool,
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'UNAUTHORIZED', 'FORBIDDEN', 'INTERNAL_ERROR'],
  summary: "List one assistant's tools, newest first",
});
