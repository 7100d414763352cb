import { z } from 'zod';
import type { VoiceCatalogue } from './catalogue.ts';
import { ANY_LANGUAGE } from './provider-voices.ts';

/** `voice` of a configuration [assistants.20]. */
export function voiceSchema({ voices, voiceProviders, liveModels }: VoiceCatalogue) {
  const idsOf = (provider?: string): string[] =>
    voices
      .filter((voice) => provider === undefined || voice.provider === provider)
      .map((voice) => voice.voice_id);
  return z
    .object({
      provider: oneOf([...voiceProviders, ...liveModels]).optional(),
      voiceId: z.enum(idsOf()),
      speed: z.number().min(0.5).max(2),
    })
    .superRefine(({ provider, voiceId }, ctx) => {
      const ids = idsOf(provider);
      if (ids.includes(voiceId)) return;
      const message = `must be a voice of ${provider}: ${ids.join(', ')}`;
      ctx.addIssue({ code: 'custom', path: ['voiceId'], message, params: { code: 'not_allowed' } });
    });
}

/** `transcriber` of a configuration [assistants.21]. */
export function transcriberSchema({ transcriberProviders }: VoiceCatalogue) {
  return z.object({
    provider: oneOf(transcriberProviders).optional(),
    model: z.string().max(255).optional(),
    language: languageTag.optional(),
    keywords: z.array(z.string().min(1).max(100)).max(100),
  });
}

/** Bounded before it is checked: canonicalizing takes time that grows with the square of the number of its parts. */
export const languageTag = z
  .string()
  .max(100, { abort: true })
  .refine(isLanguageTag, {
    error: 'must be a BCP 47 language tag such as en-US',
    params: { code: 'invalid_format' },
  });

function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

function oneOf(providers: readonly string[]) {
  return z.enum([...providers], { error: `must be a configured provider: ${providers.join(', ')}` });
}

/** Why the model cannot speak in the voice; undefined if it can. A live model alone speaks in its voices [assistants.23]. */
export function modelProblem(
  { voices, liveModels }: VoiceCatalogue,
  model: string,
  { provider, voiceId }: { provider?: string | undefined; voiceId: string },
): string | undefined {
  const owners = voices
    .filter((each) => each.voice_id === voiceId && (provider === undefined || each.provider === provider))
    .map((each) => each.provider);
  if (owners.length === 0 || owners.some((owner) => owner === model || !liveModels.includes(owner)))
    return undefined;
  return `is a voice of ${owners.join(', ')}, which must be config.model.provider`;
}

/**
 * Why the voice doesn't speak the language of the assistant; undefined if it does. The built-in voices are only names in simulated
 * calls and fit any language.
 */
export function languageProblem(
  { voices }: VoiceCatalogue,
  language: string,
  { provider, voiceId }: { provider?: string | undefined; voiceId: string },
): string | undefined {
  const voice = voices.find(
    (each) => each.voice_id === voiceId && (provider === undefined || each.provider === provider),
  );
  if (!voice || voice.provider === 'builtin' || voice.language === ANY_LANGUAGE) return undefined;
  if (primary(voice.language) === primary(language)) return undefined;
  return `must be a language of config.voice.voiceId, which speaks ${voice.language}`;
}

function primary(tag: string): string {
  return new Intl.Locale(tag).language;
}
