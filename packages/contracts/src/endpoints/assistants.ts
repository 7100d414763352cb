import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { assistant, assistantListItem, languageModel, transcriber, voice } from '../shapes/assistant.ts';
import { assistantConfigInput, assistantConfigPatch } from '../shapes/assistant-config.ts';
import { idParams, isoMillis, type jsonObject, page } from '../shapes/primitives.ts';
import { webhookSecret, webhookSecretChange } from '../shapes/webhook-secret.ts';

const route = { service: 'assistants', access: 'private', errorMessage401: true } as const;

/** Trimmed; blank is rejected. */
const agentName = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .meta({ description: 'Display name; surrounding whitespace is removed', examples: ['Ada'] });
const agentType = z
  .string()
  .min(1)
  .max(64)
  .describe('Prompt style; unknown values are treated as `Single Prompt`');

const ownSecret =
  "Signs this assistant's webhooks instead of the workspace secret: `whsec_` followed by 24 to 64 random bytes in " +
  'base64 (`openssl rand -base64 32`). Never returned. A replaced secret keeps signing alongside the new one for ' +
  '24 hours; a second replacement within that time removes the oldest one immediately, and null removes all';

/** The body of an update: at least one known field; unknown fields are ignored. */
const updateWith = (config: typeof jsonObject) =>
  z
    .object({
      agent_name: agentName.optional(),
      agent_type: agentType.optional(),
      config: config.optional().describe('The configuration; see the operation for how it is applied'),
      webhook_secret: webhookSecretChange
        .nullable()
        .optional()
        .describe(
          `${ownSecret}. \`********\` keeps the stored one. If one is stored and \`settings.webhookUrl\` changes its scheme, ` +
            'host or port, a new value or null is required',
        ),
      expected_updated_at: isoMillis
        .optional()
        .describe(
          '`updated_at` that your change is based on: `CONFLICT`, without a change, if the assistant has another one',
        ),
    })
    .meta({ minProperties: 1 })
    .refine(
      ({ expected_updated_at: _, ...changes }) => Object.values(changes).some((value) => value !== undefined),
      {
        error: 'must have at least one of agent_name, agent_type, config, webhook_secret',
        params: { code: 'required' },
      },
    );

export const createAssistant = defineEndpoint({
  ...route,
  id: 'createAssistant',
  method: 'POST',
  path: '/v1/assistant',
  body: z.object({
    agent_name: agentName,
    agent_type: agentType.default('Single Prompt'),
    config: assistantConfigInput.default({}),
    webhook_secret: webhookSecret.nullable().optional().describe(ownSecret),
  }),
  status: 201,
  envelope: 'data',
  response: assistant,
  errors: ['VALIDATION_FAILED', 'CONFLICT', 'UNAUTHORIZED', 'FORBIDDEN'],
  idempotent: true,
  tag: 'Assistants',
  summary: 'Create an assistant',
  description:
    'The configuration is completed with defaults. `end_call` is enabled unless the configuration disables it.',
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
  description: 'Defaults are filled in, so every known key is present; your own keys are returned as sent.',
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
  description:
    '`config` is merged into the stored configuration (JSON Merge Patch, RFC 7386): objects are merged key by key ' +
    'at any depth, an array replaces the stored array, and `null` resets a key to its default. The result is ' +
    'completed with defaults and validated as a whole, including the parts that did not change.\n\nAn entry of ' +
    '`nativeTools` changes only the settings that it contains. `enabled: true` enables the tool and adds it to the ' +
    'assistant if necessary. `enabled: false`, `enabled: null` or `null` for the entry disables it and keeps its ' +
    'settings; `nativeTools: null` disables all. `null` for any other setting is rejected; an empty string clears ' +
    '`staticDestination` and `smsStaticMessage`. Unknown settings are dropped. `toolIds` keeps only tools of the ' +
    'assistant, and contains a native tool exactly while it is enabled.\n\nConcurrent updates of one assistant are ' +
    'applied one after the other. An update that waits too long returns `CONFLICT`; retrying it is safe. An update ' +
    'without a change returns 200 and leaves `updated_at` unchanged.',
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
  description:
    'Fields missing from the body stay unchanged. A `config` replaces the stored one: missing keys and `null` are ' +
    'reset to their defaults, except `kbStoreIds`, which is kept when missing.\n\nNative tools are not added ' +
    'automatically: `enabled: true` for one that the assistant has never had leaves it disabled and keeps its ' +
    'settings. Without `enabled`, or without an entry in `nativeTools`, the tool stays enabled only if `toolIds` ' +
    'contains it; without an entry its settings are unchanged. Custom tools missing from `toolIds` are no longer ' +
    'used but still belong to the assistant.',
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
    'Returns `CONFLICT` while a campaign that has not ended uses the assistant; the message names the campaign. ' +
    'Phone numbers that use the assistant are unassigned. Its calls are kept, with `agent_name` null.',
});

export const listAssistants = defineEndpoint({
  ...route,
  id: 'listAssistants',
  method: 'POST',
  path: '/v1/assistant/list',
  readsOnly: true,
  body: z.object({
    page,
    size: z.int().min(1).max(100).default(10).describe('Items per page'),
    search: z.string().min(1).max(255).optional().describe('Case-insensitive substring of the name'),
  }),
  status: 200,
  envelope: 'list',
  response: assistantListItem,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN', 'INTERNAL_ERROR'],
  tag: 'Assistants',
  summary: 'List assistants, most recently updated first',
  description:
    '`next_cursor` is the next page number. A page past the last one returns `INTERNAL_ERROR`; do not retry it.',
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
  summary: 'List the available voices',
  description: 'The ids are the allowed values of `config.voice.voiceId`.',
});

export const listModels = defineEndpoint({
  service: 'assistants',
  access: 'private',
  id: 'listModels',
  method: 'GET',
  path: '/v1/model',
  status: 200,
  envelope: 'data',
  response: z.array(languageModel),
  errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  tag: 'Assistants',
  summary: 'List the providers of language models',
  description: 'The providers are the allowed values of `config.model.provider`.',
});

export const listTranscribers = defineEndpoint({
  service: 'assistants',
  access: 'private',
  id: 'listTranscribers',
  method: 'GET',
  path: '/v1/transcriber',
  status: 200,
  envelope: 'data',
  response: z.array(transcriber),
  errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  tag: 'Assistants',
  summary: 'List the providers that recognize speech, the preferred one first',
  description: 'The providers are the allowed values of `config.transcriber.provider`.',
});
