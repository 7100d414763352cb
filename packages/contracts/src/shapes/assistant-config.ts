import { z } from 'zod';
import { receivedConfig, sentConfig } from './config-schemas.ts';
import { jsonObject, uuid } from './primitives.ts';
import { MAX_SMS_CHARACTERS, transferDestination } from './tool.ts';

const analysisField = z.object({
  type: z.enum(['string', 'number', 'boolean', 'enum']).describe('What kind of value is extracted'),
  name: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
    .describe('Unique among the fields: the key of `analysis_data`'),
  description: z.string().describe('Tells the analysis what to look for'),
  required: z.boolean().optional().describe('Whether it should be there in every call'),
  examples: z.string().optional().describe('Such values, in words'),
  choices: z.array(z.string().min(1)).optional().describe('Of an `enum`, which needs at least one'),
});

const voicemail = z.object({
  detection: z
    .boolean()
    .default(true)
    .describe('Off: a machine is talked to like a human, until `silenceTimeout`'),
  action: z
    .enum(['hangup', 'leave_message'])
    .default('hangup')
    .describe('What is done when a machine picks up'),
  message: z.string().default('').describe('What `leave_message` says, which needs one'),
});

const settings = z.object({
  webhookUrl: z
    .string()
    .max(2048)
    .optional()
    .describe('An `https://` URL that receives the events of calls; absent: none are sent'),
  maxCallDuration: z
    .int()
    .min(10)
    .max(7200)
    .default(3600)
    .describe('Seconds; then the call ends with `timeout`'),
  silenceTimeout: z
    .int()
    .min(5)
    .max(600)
    .default(30)
    .describe(
      'After so many seconds without a word of the human the assistant hangs up; a tool’s time doesn’t count',
    ),
  ringTimeout: z
    .int()
    .min(5)
    .max(120)
    .default(30)
    .describe('Seconds that an outbound call rings; then it was not answered'),
  recording: z
    .object({ enabled: z.boolean().default(true).describe('Whether calls are recorded') })
    .prefault({})
    .describe('Recordings of calls'),
  voicemail: voicemail.prefault({}).describe('Machines that pick up'),
  postCallAnalysis: z
    .object({
      enabled: z.boolean().default(true).describe('Off: `analysis_data` is null'),
      fields: z.array(analysisField).default([]).describe('What is extracted into `analysis_data`'),
    })
    .prefault({})
    .describe('What is drawn from a call once it is over'),
});

const nativeTools = z.object({
  end_call: z
    .object({ enabled: z.boolean().default(true).describe('Whether the assistant has the tool') })
    .prefault({})
    .describe('Lets the assistant hang up'),
  transfer_call: z
    .object({
      enabled: z.boolean().default(false).describe('Whether the assistant has the tool'),
      mode: z
        .enum(['static', 'dynamic'])
        .default('static')
        .describe("Whether the destination is `staticDestination` or the model's"),
      staticDestination: z
        .literal('')
        .or(transferDestination)
        .default('')
        .describe('An E.164 number or a `sip:` URI; an enabled `static` transfer needs one'),
    })
    .prefault({})
    .describe('Lets the assistant hand the call over'),
  send_sms: z
    .object({
      enabled: z.boolean().default(false).describe('Whether the assistant has the tool'),
      smsContentType: z
        .enum(['prompt', 'static'])
        .default('prompt')
        .describe('Whether the model writes the text, or it is fixed'),
      smsStaticMessage: z
        .string()
        .max(MAX_SMS_CHARACTERS)
        .default('')
        .describe('An enabled `static` SMS needs one'),
    })
    .prefault({})
    .describe('Lets the assistant send a text message'),
});

/**
 * The known keys of an assistant's configuration with their defaults (D3.3), for the document of the API alone: the
 * assistants service completes and judges configurations, and its tests hold the two together.
 */
export const documentedConfig = z.object({
  systemPrompt: z
    .string()
    .max(100_000)
    .optional()
    .describe('May hold `{{placeholders}}`. Left out: a short polite prompt'),
  firstMessage: z
    .string()
    .default('')
    .describe(
      'What the assistant says first. Empty: on inbound calls the human begins, on outbound ones the assistant, by its prompt',
    ),
  language: z.string().default('en-US').describe('BCP 47'),
  model: z
    .object({
      provider: z
        .enum(['builtin', 'openai'])
        .default('builtin')
        .describe('`openai`: an OpenAI-compatible endpoint, where the operator has configured one'),
      name: z
        .string()
        .min(1)
        .max(255)
        .default('scripted-1')
        .describe(
          '`builtin`: `scripted-1`, or `scripted-live-1`, which goes on while a tool with `non_blocking` behavior runs; `openai`: a model of that endpoint',
        ),
      temperature: z.number().min(0).max(2).default(0.3).describe('How freely the model chooses its words'),
    })
    .prefault({})
    .describe('Who thinks up what the assistant says'),
  voice: z
    .object({
      voiceId: z.string().default('aria').describe('An id of `GET /v1/voice`'),
      speed: z.number().min(0.5).max(2).default(1).describe('How fast it speaks'),
    })
    .prefault({})
    .describe('How it sounds'),
  settings: settings.prefault({}).describe('How calls run, and what is told of them'),
  toolIds: z
    .array(uuid)
    .default([])
    .describe('Tools of the assistant that it uses; ids of others are dropped'),
  kbStoreIds: z.array(uuid).default([]).describe('Knowledge bases of the workspace'),
  fileSearchStoreIds: z.array(z.string()).default([]).describe('Opaque; kept for you'),
  nativeTools: nativeTools.prefault({}).describe('Settings that do not exist are dropped here'),
});

const LIMITS = 'Keys of your own are kept and returned as they are. At most 256 KiB and 32 levels.';

const { required, ...whole } = receivedConfig(documentedConfig);

/** A configuration as it is answered: whole. */
export const assistantConfig = jsonObject.meta({
  ...whole,
  // The default prompt is long, and the one key that is not told with its default.
  required: ['systemPrompt', ...(required as string[])],
  id: 'AssistantConfig',
  description: 'The whole configuration, with defaults for what was not sent, and keys of your own.',
});

const told = sentConfig(documentedConfig);

/** A configuration that is to be completed, as POST and PUT read it. */
export const assistantConfigInput = jsonObject.meta({
  ...told,
  id: 'AssistantConfigInput',
  description: `What isn't there, or is null, has its default. ${LIMITS}`,
});

/** Parts of a configuration, as PATCH reads them. */
export const assistantConfigPatch = jsonObject.meta({
  ...told,
  id: 'AssistantConfigPatch',
  description: `A JSON Merge Patch (RFC 7386): what isn't there stays; null gives a key its default back, or switches a native tool off. ${LIMITS}`,
});
