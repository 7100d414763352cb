import { z } from 'zod';
import { ANY_LANGUAGE, SPEECH_PROVIDER_NAMES } from './provider-voices.ts';

const MAX_VOICES = 1_000;

const voice = z.object({
  voice_id: z.string().min(1).max(255),
  voice_name: z.string().min(1).max(255).optional(),
  provider: z.enum(SPEECH_PROVIDER_NAMES),
  gender: z.enum(['female', 'male', 'neutral']).default('neutral'),
  language: z.string().refine(isLanguage, 'must be a BCP 47 language tag').default(ANY_LANGUAGE),
});

/** `VOICES`: a JSON array of `{voice_id, provider, voice_name?, gender?, language?}`. Empty by default. */
export const ownVoices = z
  .string()
  .default('[]')
  .transform((text, ctx): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      ctx.addIssue({ code: 'custom', message: 'must be JSON' });
      return z.NEVER;
    }
  })
  .pipe(z.array(voice).max(MAX_VOICES))
  .transform((voices) =>
    voices.map(({ voice_name, ...rest }) => ({ ...rest, voice_name: voice_name ?? rest.voice_id })),
  );

function isLanguage(tag: string): boolean {
  try {
    return new Intl.Locale(tag).language !== '';
  } catch {
    return false;
  }
}
