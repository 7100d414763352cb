import { z } from 'zod';
import { receivedConfig, sentConfig } from './config-schemas.ts';
import { jsonObject, uuid } from './primitives.ts';
import { MAX_SMS_CHARACTERS, transferDestination } from './tool.ts';

const analysisField = z.object({
  type: z.enum(['string', 'number', 'boolean', 'enum']).describe('Type of the extracted value'),
  name: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
    .describe('Key in `analysis_data`; unique among the fields'),
  description: z.string().describe('Tells the analysis what to extract'),
  required: z.boolean().optional().describe('Whether every call should have a value'),
  examples: z.string().optional().describe('Example values, as text'),
  choices: z
    .array(z.string().min(1))
    .max(100)
    .optional()
    .describe('Allowed values of an `enum`, at least one and at most 100'),
});

const voicemail = z.object({
  detection: z
    .boolean()
    .default(true)
    .describe('False: answering machines are treated like humans, until `silenceTimeout`'),
  action: z
    .enum(['hangup', 'leave_message'])
    .default('hangup')
    .describe('Action when an answering machine picks up'),
  message: z.string().default('').describe('Message for `leave_message`, which requires one'),
});

const settings = z.object({
  webhookUrl: z
    .string()
    .max(2048)
    .meta({ format: 'uri' })
    .optional()
    .describe('`https://` URL that receives the events of calls; without it no events are sent'),
  maxCallDuration: z
    .int()
    .min(10)
    .max(7200)
    .default(3600)
    .describe('Maximum call duration in seconds; the call then ends with `timeout`'),
  silenceTimeout: z
    .int()
    .min(5)
    .max(600)
    .default(30)
    .describe(
      'Seconds in which neither side speaks or writes, after which the assistant hangs up; the time of tool executions ' +
        'does not count',
    ),
  ringTimeout: z
    .int()
    .min(5)
    .max(120)
    .default(30)
    .describe('Seconds that an outbound call rings before it counts as not answered'),
  endpointing: z
    .object({
      silenceMs: z
        .int()
        .min(200)
        .max(5000)
        .default(700)
        .describe('Milliseconds of silence that end a turn of the human; unfinished sentences get more'),
    })
    .prefault({})
    .describe('When a spoken turn is over'),
  interruption: z
    .object({
      enabled: z
        .boolean()
        .default(true)
        .describe('False: the assistant finishes its sentences; what is said meanwhile is the next turn'),
      minSpeechMs: z
        .int()
        .min(0)
        .max(5000)
        .default(300)
        .describe('Milliseconds of speech from which on words interrupt the assistant'),
    })
    .prefault({})
    .describe('How the human interrupts the assistant'),
  recording: z
    .object({ enabled: z.boolean().default(true).describe('Whether calls are recorded') })
    .prefault({})
    .describe('Call recording'),
  voicemail: voicemail.prefault({}).describe('Answering machine handling'),
  postCallAnalysis: z
    .object({
      enabled: z.boolean().default(true).describe('False: `analysis_data` is null'),
      fields: z
        .array(analysisField)
        .max(100)
        .default([])
        .describe('Values to extract into `analysis_data`, at most 100'),
    })
    .prefault({})
    .describe('Analysis of completed calls'),
});

const nativeTools = z.object({
  end_call: z
    .object({ enabled: z.boolean().default(true).describe('Whether the tool is enabled') })
    .prefault({})
    .describe('Lets the assistant hang up'),
  transfer_call: z
    .object({
      enabled: z.boolean().default(false).describe('Whether the tool is enabled'),
      mode: z
        .enum(['static', 'dynamic'])
        .default('static')
        .describe('`static`: transfer to `staticDestination`; `dynamic`: the model chooses the destination'),
      staticDestination: z
        .literal('')
        .or(transferDestination)
        .default('')
        .describe('E.164 number or `sip:` URI; required for an enabled `static` transfer'),
    })
    .prefault({})
    .describe('Lets the assistant transfer the call'),
  send_sms: z
    .object({
      enabled: z.boolean().default(false).describe('Whether the tool is enabled'),
      smsContentType: z
        .enum(['prompt', 'static'])
        .default('prompt')
        .describe('`prompt`: the model writes the text; `static`: `smsStaticMessage`'),
      smsStaticMessage: z
        .string()
        .max(MAX_SMS_CHARACTERS)
        .default('')
        .describe('Text of a `static` SMS, required if it is enabled'),
    })
    .prefault({})
    .describe('Lets the assistant send a text message'),
});

/**
 * The known keys of an assistant's configuration with their defaults [assistants.10], for the API reference only. The
 * assistants service completes and validates configurations; its tests keep the two in sync.
 */
export const documentedConfig = z.object({
  systemPrompt: z
    .string()
    .max(100_000)
    .optional()
    .describe(
      'Instructions for the assistant; may contain `{{placeholders}}`. Default: a short polite prompt',
    ),
  firstMessage: z
    .string()
    .default('')
    .describe(
      'First message of the assistant; may contain `{{placeholders}}`. Empty: the human speaks first on inbound ' +
        'calls; on outbound calls the assistant starts with a message generated from the prompt',
    ),
  language: z.string().max(100).default('en-US').describe('BCP 47 language tag'),
  model: z
    .object({
      provider: z
        .string()
        .default('builtin')
        .describe(
          'A provider of `GET /v1/model`: `builtin`; `openai`, an OpenAI-compatible endpoint, and live models, if the ' +
            'operator has configured them',
        ),
      name: z
        .string()
        .min(1)
        .max(255)
        .default('scripted-1')
        .describe(
          '`builtin`: `scripted-1`, or `scripted-live-1`, which continues the conversation while a `non_blocking` tool ' +
            'runs; other providers: a model of theirs',
        ),
      temperature: z.number().min(0).max(2).default(0.3).describe('Sampling temperature'),
    })
    .prefault({})
    .describe('Language model'),
  voice: z
    .object({
      provider: z
        .string()
        .optional()
        .describe('A speech provider of `GET /v1/voice`; by default that of the voice'),
      voiceId: z.string().default('aria').describe('Id from `GET /v1/voice`'),
      speed: z.number().min(0.5).max(2).default(1).describe('Speed factor'),
    })
    .prefault({})
    .describe('Voice'),
  transcriber: z
    .object({
      provider: z
        .string()
        .optional()
        .describe('A speech provider that the operator has configured; by default the preferred one'),
      model: z.string().max(255).optional().describe('A model of that provider; by default its own'),
      language: z
        .string()
        .max(100)
        .optional()
        .describe('BCP 47 language tag of what the human says; by default `language`'),
      keywords: z
        .array(z.string().min(1).max(100))
        .max(100)
        .default([])
        .describe('Words and names that are likely to be said'),
    })
    .prefault({})
    .describe('Speech recognition'),
  settings: settings.prefault({}).describe('Call settings'),
  toolIds: z
    .array(uuid)
    .default([])
    .describe("Ids of the assistant's tools that it uses; other ids are dropped"),
  kbStoreIds: z.array(uuid).default([]).describe('Ids of knowledge bases of the workspace'),
  fileSearchStoreIds: z.array(z.string()).default([]).describe('Your own ids, stored unchanged'),
  nativeTools: nativeTools.prefault({}).describe('Native tools; unknown settings are dropped'),
});

const LIMITS =
  'Your own keys are stored and returned unchanged. At most 256 KiB (262,144 bytes) as JSON and 32 levels deep.';

const { required, ...whole } = receivedConfig(documentedConfig);

/** A configuration in responses: complete. */
export const assistantConfig = jsonObject.meta({
  ...whole,
  // Always present, but without a documented default because of its length.
  required: ['systemPrompt', ...(required as string[])],
  id: 'AssistantConfig',
  description: 'The complete configuration: defaults for missing keys, and your own keys.',
});

const sent = sentConfig(documentedConfig);

/** A configuration to complete with defaults (POST and PUT). */
export const assistantConfigInput = jsonObject.meta({
  ...sent,
  id: 'AssistantConfigInput',
  description: `Missing keys and null mean the default. ${LIMITS}`,
});

/** A partial configuration (PATCH). */
export const assistantConfigPatch = jsonObject.meta({
  ...sent,
  id: 'AssistantConfigPatch',
  description:
    'A JSON Merge Patch (RFC 7386): missing keys stay unchanged; null resets a key to its default, or disables a ' +
    `native tool. ${LIMITS}`,
});
