import { z } from 'zod';
import { apiKey, baseUrl, checkUniqueNames, nameExcept } from '../providers/config-fields.ts';

/** The types of models in `LIVE_MODELS`. */
const LIVE_TYPES = ['gemini-live', 'openai-realtime'] as const;
export type LiveType = (typeof LIVE_TYPES)[number];

const MAX_MODELS = 50;
const MAX_VOICES = 1_000;
/** Reserved names. */
const TEXT_PROVIDERS: readonly string[] = ['builtin', 'openai'];

const model = z.strictObject({
  name: nameExcept(TEXT_PROVIDERS),
  type: z.enum(LIVE_TYPES),
  base_url: baseUrl.optional(),
  api_key: apiKey.optional(),
  /** The default, for assistants that name none. */
  model: z.string().min(1).optional(),
  /** Replace the standard voices of the type. */
  voices: z.array(z.string().min(1).max(255)).min(1).max(MAX_VOICES).optional(),
});

/** One live model, as the operator configured it. */
export type LiveModelConfig = z.output<typeof model>;

/** The value of `LIVE_MODELS`. */
export const liveModelList = z
  .array(model)
  .max(MAX_MODELS)
  .superRefine((list, ctx) => {
    checkUniqueNames(list, ctx);
    for (const [i, { base_url, api_key }] of list.entries()) {
      if (base_url === undefined && api_key === undefined)
        ctx.addIssue({ code: 'custom', path: [i], message: 'needs api_key or base_url' });
    }
  });

const VOICES: Record<LiveType, readonly string[]> = {
  'gemini-live': [
    ...['Puck', 'Charon', 'Kore', 'Fenrir', 'Aoede', 'Leda', 'Orus', 'Zephyr', 'Callirrhoe', 'Autonoe'],
    ...['Enceladus', 'Iapetus', 'Umbriel', 'Algieba', 'Despina', 'Erinome', 'Algenib', 'Rasalgethi'],
    ...['Laomedeia', 'Achernar', 'Alnilam', 'Schedar', 'Gacrux', 'Pulcherrima', 'Achird', 'Zubenelgenubi'],
    ...['Vindemiatrix', 'Sadachbia', 'Sadaltager', 'Sulafat'],
  ],
  'openai-realtime': [
    ...['marin', 'cedar', 'alloy', 'ash', 'ballad', 'coral', 'echo', 'sage', 'shimmer', 'verse'],
  ],
};

/** Names that a speech provider also has, by index in the list: `voice.provider` may refer to either. */
export function takenNames(
  models: readonly Pick<LiveModelConfig, 'name'>[],
  others: readonly { name: string }[],
): Map<number, string> {
  const names = new Set(others.map(({ name }) => name));
  return new Map(
    [...models.entries()]
      .filter(([, { name }]) => names.has(name))
      .map(([i]) => [i, 'must differ from the names of SPEECH_PROVIDERS']),
  );
}

/** Ids of the voices in which it speaks. */
export function liveVoicesOf({ type, voices }: Pick<LiveModelConfig, 'type' | 'voices'>): readonly string[] {
  return voices ?? VOICES[type];
}
