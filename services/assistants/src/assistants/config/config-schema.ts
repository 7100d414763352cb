import { uuid } from '@parley/contracts';
import { checkSipDestination, checkUrlSyntax, type OutboundAllowance } from '@parley/kit/outbound';
import { type ZodType, z } from 'zod';
import type { VoiceCatalogue } from '../../voices/catalogue.ts';
import {
  languageProblem,
  languageTag,
  modelProblem,
  transcriberSchema,
  voiceSchema,
} from '../../voices/voice-rules.ts';

/** The operator's rules for configurations and webhook receivers [webhooks.21]. */
type ConfigRules = OutboundAllowance & {
  /** Model providers of this deployment. */
  modelProviders: readonly string[];
  catalogue: VoiceCatalogue;
};

/**
 * The known keys of a completed configuration and their rules [assistants.10]. Validates only: its output lacks the
 * client's own keys.
 */
export function createConfigSchema(rules: ConfigRules): ZodType {
  const { catalogue } = rules;
  const document = z.object({
    systemPrompt: z.string().max(100_000),
    firstMessage: z.string(),
    language: languageTag,
    model: z.object({
      // A provider without an engine in this deployment is rejected rather than replaced.
      provider: z.enum([...rules.modelProviders], {
        error: `must be a configured provider: ${rules.modelProviders.join(', ')}`,
      }),
      name: z.string().min(1).max(255),
      temperature: z.number().min(0).max(2),
    }),
    voice: voiceSchema(catalogue),
    transcriber: transcriberSchema(catalogue),
    settings: z.object({
      webhookUrl: webhookUrl(rules).optional(),
      maxCallDuration: z.int().min(10).max(7200),
      silenceTimeout: z.int().min(5).max(600),
      ringTimeout: z.int().min(5).max(120),
      endpointing: z.object({ silenceMs: z.int().min(200).max(5000) }),
      interruption: z.object({ enabled: z.boolean(), minSpeechMs: z.int().min(0).max(5000) }),
      recording: z.object({ enabled: z.boolean() }),
      voicemail,
      postCallAnalysis: z.object({ enabled: z.boolean(), fields: analysisFields }),
    }),
    // Validated by `nativeEntries`.
    nativeTools: z
      .object({ transfer_call: z.object({ staticDestination: transferTarget(rules) }) })
      .optional(),
    toolIds: z.array(uuid),
    kbStoreIds: z.array(z.string()),
    fileSearchStoreIds: z.array(z.string()),
  });
  return document.superRefine(({ language, model, voice }, ctx) => {
    const refuse = (path: string[], message: string | undefined): void => {
      if (message !== undefined)
        ctx.addIssue({ code: 'custom', path, message, params: { code: 'not_allowed' } });
    };
    refuse(['voice', 'voiceId'], modelProblem(catalogue, model.provider, voice));
    // A live model does not speak in the voice of another provider.
    if (!catalogue.liveModels.includes(model.provider))
      refuse(['language'], languageProblem(catalogue, language, voice));
  });
}

const voicemail = z
  .object({
    detection: z.boolean(),
    action: z.enum(['hangup', 'leave_message']),
    message: z.string(),
  })
  .superRefine(({ action, message }, ctx) => {
    if (action !== 'leave_message' || message.trim() !== '') return;
    const words = 'is required if the action is leave_message';
    ctx.addIssue({ code: 'custom', path: ['message'], message: words, params: { code: 'required' } });
  });

function webhookUrl(allowed: OutboundAllowance): ZodType {
  return z
    .string()
    .max(2048, { abort: true })
    .superRefine((value, ctx) => {
      const problem = checkUrlSyntax(value, { ...allowed, allowHttp: false });
      if (problem === undefined) return;
      ctx.addIssue({ code: 'custom', message: problem, params: { code: 'invalid_format' } });
    });
}

const MAX_DESTINATION = 255;

function transferTarget(allowed: OutboundAllowance): ZodType {
  return z.string().superRefine((value, ctx) => {
    // `nativeEntries` refuses it.
    if (value.length > MAX_DESTINATION) return;
    const problem = checkSipDestination(value, allowed);
    if (problem === undefined) return;
    ctx.addIssue({ code: 'custom', message: problem, params: { code: 'invalid_format' } });
  });
}

const analysisField = z
  .object({
    type: z.enum(['string', 'number', 'boolean', 'enum']),
    name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, {
      error: 'must start with a letter or underscore and contain only letters, digits and underscores',
    }),
    description: z.string(),
    required: z.boolean().optional(),
    examples: z.string().optional(),
    choices: z.array(z.string().min(1)).max(100).optional(),
  })
  .superRefine(({ type, choices }, ctx) => {
    if (type !== 'enum' || (choices && choices.length > 0)) return;
    const message = 'is required and must not be empty for a field of type enum';
    ctx.addIssue({ code: 'custom', path: ['choices'], message, params: { code: 'required' } });
  });

/** `settings.postCallAnalysis.fields` [assistants.17]: names are unique, because they are the keys of `analysis_data`. */
const analysisFields = z
  .array(analysisField)
  .max(100)
  .superRefine((fields, ctx) => {
    const seen = new Set<string>();
    for (const [i, { name }] of fields.entries()) {
      if (seen.has(name)) {
        const message = 'must be unique among the fields';
        ctx.addIssue({ code: 'custom', path: [i, 'name'], message, params: { code: 'not_allowed' } });
      }
      seen.add(name);
    }
  });
