import { z } from 'zod';

const seconds = (fallback: number) =>
  z
    .number()
    .catch(fallback)
    .transform((value) => value * 1000);

const text = z.string().catch('');
const optionalText = z.string().optional().catch(undefined);

const analysisField = z.object({
  type: z.enum(['string', 'number', 'boolean', 'enum']),
  name: z.string(),
  description: z.string().catch(''),
  choices: z.array(z.string()).catch([]),
  examples: z.string().catch(''),
});
export type AnalysisField = z.output<typeof analysisField>;

/** A part of the document, read leniently: the assistants service has checked it, and a call must not fail over it. */
const part = <S extends z.ZodRawShape>(shape: S) =>
  z.preprocess((value) => (typeof value === 'object' && value !== null ? value : {}), z.object(shape));

const schema = part({
  systemPrompt: text,
  firstMessage: text,
  language: z.string().catch('en-US'),
  model: part({
    provider: z.string().catch('builtin'),
    name: z.string().catch('scripted-1'),
    temperature: z.number().catch(0.3),
  }),
  voice: part({
    provider: optionalText,
    voiceId: text,
    speed: z.number().catch(1),
  }),
  transcriber: part({
    provider: optionalText,
    model: optionalText,
    language: optionalText,
    keywords: z.array(z.string()).catch([]),
  }),
  kbStoreIds: z.array(z.string()).catch([]),
  settings: part({
    maxCallDuration: seconds(3600),
    silenceTimeout: seconds(30),
    ringTimeout: seconds(30),
    endpointing: part({ silenceMs: z.number().catch(700) }),
    interruption: part({ enabled: z.boolean().catch(true), minSpeechMs: z.number().catch(300) }),
    recording: part({ enabled: z.boolean().catch(true) }),
    voicemail: part({
      detection: z.boolean().catch(true),
      action: z.enum(['hangup', 'leave_message']).catch('hangup'),
      message: text,
    }),
    postCallAnalysis: part({
      enabled: z.boolean().catch(true),
      fields: z.array(z.unknown()).catch([]),
    }),
  }),
});

/** The configuration of a call's assistant [assistants.10]. Durations are stack milliseconds, those of speech real ones. */
export type CallConfig = Omit<z.output<typeof schema>, 'settings'> & {
  settings: Omit<z.output<typeof schema>['settings'], 'postCallAnalysis'> & {
    postCallAnalysis: { enabled: boolean; fields: AnalysisField[] };
  };
};

export function readCallConfig(config: Record<string, unknown>): CallConfig {
  const read = schema.parse(config);
  const { enabled, fields } = read.settings.postCallAnalysis;
  const known = fields.flatMap((field) => {
    const parsed = analysisField.safeParse(field);
    return parsed.success ? [parsed.data] : [];
  });
  return { ...read, settings: { ...read.settings, postCallAnalysis: { enabled, fields: known } } };
}
