import { uuid } from '@parley/contracts';
import { checkUrlSyntax } from '@parley/kit/outbound';
import { type ZodType, z } from 'zod';
import { VOICES } from '../voices/catalogue.ts';
import { analysisFields } from './analysis-fields.ts';

/** What the operator lets configurations name. */
export type ConfigRules = {
  /** Addresses that webhooks may lead to although they are not public (D8.5). */
  allowCidrs: readonly string[];
  /** Providers of models that this deployment has engines for. */
  modelProviders: readonly string[];
};

/**
 * The known keys of a completed configuration and their rules (D3.3). It judges and nothing else: what it gives back
 * lacks the client's own keys.
 */
export function createConfigSchema(rules: ConfigRules): ZodType {
  return z.object({
    systemPrompt: z.string().max(100_000),
    firstMessage: z.string(),
    language: z.string().refine(isLanguageTag, {
      error: 'must be a BCP 47 language tag such as en-US',
      params: { code: 'invalid_format' },
    }),
    model: z.object({
      // A provider that no engine of this deployment speaks to is refused, rather than run by another one (D3.3).
      provider: z.enum([...rules.modelProviders], {
        error: `must be a provider that is configured: ${rules.modelProviders.join(', ')}`,
      }),
      name: z.string().min(1).max(255),
      temperature: z.number().min(0).max(2),
    }),
    voice: z.object({
      voiceId: z.enum(VOICES.map(({ voice_id }) => voice_id)),
      speed: z.number().min(0.5).max(2),
    }),
    settings: z.object({
      webhookUrl: webhookUrl(rules.allowCidrs).optional(),
      maxCallDuration: z.int().min(10).max(7200),
      silenceTimeout: z.int().min(5).max(600),
      ringTimeout: z.int().min(5).max(120),
      recording: z.object({ enabled: z.boolean() }),
      voicemail,
      postCallAnalysis: z.object({ enabled: z.boolean(), fields: analysisFields }),
    }),
    toolIds: z.array(uuid),
    kbStoreIds: z.array(z.string()),
    fileSearchStoreIds: z.array(z.string()),
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
    const words = 'is required where the action is leave_message';
    ctx.addIssue({ code: 'custom', path: ['message'], message: words, params: { code: 'required' } });
  });

function webhookUrl(allowCidrs: readonly string[]): ZodType {
  return z
    .string()
    .max(2048)
    .superRefine((value, ctx) => {
      const problem = checkUrlSyntax(value, { allowHttp: false, allowCidrs });
      if (problem === undefined) return;
      ctx.addIssue({ code: 'custom', message: problem, params: { code: 'invalid_format' } });
    });
}

function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
