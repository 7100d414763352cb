import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { assistant, assistantListItem, voice } from '../shapes/assistant.ts';
import { assistantConfigInput, assistantConfigPatch } from '../shapes/assistant-config.ts';
import { idParams, type jsonObject, page } from '../shapes/primitives.ts';

const route = { service: 'assistants', access: 'private', errorMessage401: true } as const;

/** D3: trimmed, and blank is refused. */
const agentName = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .meta({ description: 'For people; trimmed', examples: ['Ada'] });
const agentType = z
  .string()
  .min(1)
  .max(64)
  .describe('The prompt style; whatever is unknown counts as a single prompt');

/** The body of an update: at least one of its fields; unknown ones count for nothing. */
const updateWith = (config: typeof jsonObject) =>
  z
    .object({
      agent_name: agentName.optional(),
      agent_type: agentType.optional(),
      config: config.optional().describe('The configuration, or what of it changes: as the operation says'),
    })
    .meta({ minProperties: 1 })
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      error: 'must hold at least one of agent_name, agent_type, config',
      params: { code: 'required' },
    });

export const createAssistant = defineEndpoint({
  ...route,
  id: 'createAssistant',
  method: 'POST',
  path: '/v1/assistant',
  body: z.object({
    agent_name: agentName,
    agent_type: agentType.default('Single Prompt'),
    config: assistantConfigInput.default({}),
  }),
  status: 201,
  envelope: 'data',
  response: assistant,
  errors: ['VALIDATION_FAILED', 'CONFLICT', 'UNAUTHORIZED', 'FORBIDDEN'],
  idempotent: true,
  tag: 'Assistants',
  summary: 'Create an assistant',
  description:
    'The configuration is completed with defaults; `end_call` is switched on unless the body says otherwise.',
  example: {
    agent_name: 'Ada',
    config: {
      systemPrompt: 'You confirm appointments. The caller is {{contact_name}}.',
      firstMessage: 'Hello {{contact_name}}, this is Ada.',
      voice: { voiceId: 'aria' },
      settings: {
        webhookUrl: 'https://example.com/parley',
        postCallAnalysis: {
          fields: [{ type: 'boolean', name: 'confirmed', description: 'Whether the appointment stands' }],
        },
      },
    },
  },
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
  description:
    'Defaults are filled in, so every known key is there; keys of your own read as they were sent.',
});

export const patchAssistant = defineEndpoint({
  ...route,
  id: 'patchAssistant',
  method: 'PATCH',
  path: '/v1/assistant/:id',
  params: idParams,
  body: updateWith(assistantConfigPatch),
  status: 200,
  envelope: 'data',
  response: assistant,
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'CONFLICT', 'UNAUTHORIZED', 'FORBIDDEN'],
  tag: 'Assistants',
  summary: 'Change parts of an assistant',
  description: `\`config\` is merged into the stored configuration (JSON Merge Patch, RFC 7386): objects key by key at any
depth, a list replaces the stored list whole, and \`null\` gives a key its default back. The merged
configuration is then completed with defaults and validated as a whole, also where it wasn't touched.

An entry of \`nativeTools\` changes only the settings that it holds. \`enabled: true\` switches the tool on and adds it to the
assistant if it isn't there yet; \`enabled: false\`, \`enabled: null\` or \`null\` for the entry switches it off and keeps its
settings; \`nativeTools: null\` switches all off. \`null\` on any other setting is refused; an empty string clears
\`staticDestination\` and \`smsStaticMessage\`. Settings that don't exist are dropped. \`toolIds\` follows: it keeps only tools of
the assistant, and a native tool is in it exactly while it is on.

Simultaneous updates of one assistant all land, one after the other. One that has to wait for too long answers
\`CONFLICT\`, and repeating it is safe. An update that changes nothing answers 200 and leaves \`updated_at\`.`,
  example: { config: { firstMessage: 'Hello, this is Ada.', nativeTools: { send_sms: null } } },
});

export const replaceAssistant = defineEndpoint({
  ...route,
  id: 'replaceAssistant',
  method: 'PUT',
  path: '/v1/assistant/:id',
  params: idParams,
  body: updateWith(assistantConfigInput),
  status: 200,
  envelope: 'data',
  response: assistant,
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'CONFLICT', 'UNAUTHORIZED', 'FORBIDDEN'],
  tag: 'Assistants',
  summary: "Replace an assistant's configuration",
  description: `Parts that the body leaves out stay as they are. A \`config\` that is sent takes the place of the stored one: what it
leaves out, or sets to \`null\`, has its default again. Only \`kbStoreIds\` is kept when it is left out.

Native tools are not added for you: \`enabled: true\` for one that the assistant has never had stays off, and its settings are
kept. An entry of \`nativeTools\` without \`enabled\`, or no entry at all, leaves the tool on exactly if \`toolIds\` names it; without
an entry its settings stay as they were. Custom tools that \`toolIds\` leaves out are no longer used, and stay tools of the
assistant.`,
  example: { agent_name: 'Ada', config: { systemPrompt: 'You confirm appointments.' } },
});

export const deleteAssistant = defineEndpoint({
  ...route,
  id: 'deleteAssistant',
  method: 'DELETE',
  path: '/v1/assistant/:id',
  params: idParams,
  status: 204,
  envelope: 'none',
  errors: ['CONFLICT', 'NOT_FOUND', 'VALIDATION_FAILED', 'SERVICE_UNAVAILABLE', 'UNAUTHORIZED', 'FORBIDDEN'],
  tag: 'Assistants',
  summary: 'Delete an assistant and its tools',
  description:
    'Refused with `CONFLICT` while the assistant is used by a campaign that hasn’t ended, which the message ' +
    'names. Numbers that name the assistant no longer do; calls stay, and read `agent_name` null.',
});

export const listAssistants = defineEndpoint({
  ...route,
  id: 'listAssistants',
  method: 'POST',
  path: '/v1/assistant/list',
  readsOnly: true,
  body: z.object({
    page,
    size: z.int().min(1).max(100).default(10).describe('Items a page'),
    search: z.string().min(1).max(255).optional().describe('Case-insensitive part of the name'),
  }),
  status: 200,
  envelope: 'list',
  response: assistantListItem,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN', 'INTERNAL_ERROR'],
  tag: 'Assistants',
  summary: 'List assistants, newest edit first',
  description:
    '`next_cursor` is the next page number. A page past the last one answers `INTERNAL_ERROR` every time.',
  example: { page: 1, size: 20, search: 'ada' },
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
  description: 'What `config.voice.voiceId` takes; any other id is refused.',
});
