import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { assistant, assistantListItem, voice } from '../shapes/assistant.ts';
import { idParams, jsonObject, page } from '../shapes/primitives.ts';

const route = { service: 'assistants', access: 'private', errorMessage401: true } as const;

/** D3: trimmed, and blank is refused. */
const agentName = z.string().trim().min(1).max(255);

export const createAssistant = defineEndpoint({
  ...route,
  id: 'createAssistant',
  method: 'POST',
  path: '/v1/assistant',
  body: z.object({
    agent_name: agentName,
    agent_type: z.string().min(1).max(64).default('Single Prompt'),
    config: jsonObject.default({}),
  }),
  status: 201,
  envelope: 'data',
  response: assistant,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  idempotent: true,
  tag: 'Assistants',
  summary: 'Create an assistant',
  description:
    'The configuration is completed with defaults; `end_call` is switched on unless the body says otherwise.',
});

export const getAssistant = defineEndpoint({
  ...route,
  id: 'getAssistant',
  method: 'GET',
  path: '/v1/assistant/:id',
  params: idParams,
  status: 200,
  envelope: 'data',
  response: assistant,
  errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  tag: 'Assistants',
  summary: 'Read one assistant with its whole configuration',
});

export const listAssistants = defineEndpoint({
  ...route,
  id: 'listAssistants',
  method: 'POST',
  path: '/v1/assistant/list',
  body: z.object({
    page,
    size: z.int().min(1).max(100).default(10),
    search: z.string().min(1).max(255).optional().describe('Case-insensitive part of the name'),
  }),
  status: 200,
  envelope: 'list',
  response: assistantListItem,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN', 'INTERNAL_ERROR'],
  tag: 'Assistants',
  summary: 'List assistants, newest edit first',
});

export const listVoices = defineEndpoint({
  service: 'assistants',
  access: 'private',
  id: 'listVoices',
  method: 'GET',
  path: '/v1/voice',
  status: 200,
  envelope: 'data',
  response: z.array(voice),
  errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  tag: 'Assistants',
  summary: 'List the voices that an assistant may have',
});
