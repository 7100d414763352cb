import { FLITE_VOICES, type SpeechProvider } from '@parley/speech/providers';
import type { Voice } from './voice.ts';

type Gender = Voice['gender'];
type Listed = readonly [id: string, name: string, gender: Gender, language: string];

/** A voice that speaks the language of its text. */
export const ANY_LANGUAGE = 'mul';

const BUILTIN: readonly Listed[] = [
  ['aria', 'Aria', 'female', 'en-US'],
  ['miles', 'Miles', 'male', 'en-US'],
  ['quinn', 'Quinn', 'neutral', 'en-US'],
  ['imogen', 'Imogen', 'female', 'en-GB'],
  ['rhys', 'Rhys', 'male', 'en-GB'],
  ['matilda', 'Matilda', 'female', 'en-AU'],
  ['lena', 'Lena', 'female', 'de-DE'],
  ['jonas', 'Jonas', 'male', 'de-DE'],
  ['camille', 'Camille', 'female', 'fr-FR'],
  ['lucia', 'Lucía', 'female', 'es-ES'],
  ['mateo', 'Mateo', 'male', 'es-MX'],
  ['giulia', 'Giulia', 'female', 'it-IT'],
  ['beatriz', 'Beatriz', 'female', 'pt-BR'],
  ['sanne', 'Sanne', 'female', 'nl-NL'],
];

const OPENAI: readonly Listed[] = [
  ['alloy', 'Alloy', 'neutral', ANY_LANGUAGE],
  ['ash', 'Ash', 'male', ANY_LANGUAGE],
  ['coral', 'Coral', 'female', ANY_LANGUAGE],
  ['echo', 'Echo', 'male', ANY_LANGUAGE],
  ['fable', 'Fable', 'neutral', ANY_LANGUAGE],
  ['nova', 'Nova', 'female', ANY_LANGUAGE],
  ['onyx', 'Onyx', 'male', ANY_LANGUAGE],
  ['sage', 'Sage', 'female', ANY_LANGUAGE],
  ['shimmer', 'Shimmer', 'female', ANY_LANGUAGE],
];

const DEEPGRAM: readonly Listed[] = [
  ['aura-2-thalia-en', 'Thalia', 'female', 'en-US'],
  ['aura-2-andromeda-en', 'Andromeda', 'female', 'en-US'],
  ['aura-2-helena-en', 'Helena', 'female', 'en-US'],
  ['aura-2-apollo-en', 'Apollo', 'male', 'en-US'],
  ['aura-2-arcas-en', 'Arcas', 'male', 'en-US'],
  ['aura-2-aries-en', 'Aries', 'male', 'en-US'],
  ['aura-2-celeste-es', 'Celeste', 'female', 'es-CO'],
  ['aura-2-nestor-es', 'Nestor', 'male', 'es-ES'],
  ['aura-2-viktoria-de', 'Viktoria', 'female', 'de-DE'],
  ['aura-2-julius-de', 'Julius', 'male', 'de-DE'],
  ['aura-2-agathe-fr', 'Agathe', 'female', 'fr-FR'],
  ['aura-2-hector-fr', 'Hector', 'male', 'fr-FR'],
  ['aura-2-livia-it', 'Livia', 'female', 'it-IT'],
  ['aura-2-rhea-nl', 'Rhea', 'female', 'nl-NL'],
];

const ELEVENLABS: readonly Listed[] = [
  ['JBFqnCBsd6RMkjVDRZzb', 'George', 'male', ANY_LANGUAGE],
  ['EXAVITQu4vr4xnSDxMaL', 'Sarah', 'female', ANY_LANGUAGE],
  ['Xb7hH8MSUJpSbSDYk0k2', 'Alice', 'female', ANY_LANGUAGE],
  ['nPczCjzI2devNBz1zQrb', 'Brian', 'male', ANY_LANGUAGE],
  ['onwK4e9ZLuTAKqWW03F9', 'Daniel', 'male', ANY_LANGUAGE],
  ['cjVigY5qzO86Huf0OWal', 'Eric', 'male', ANY_LANGUAGE],
];

const CARTESIA: readonly Listed[] = [
  ['f786b574-daa5-4673-aa0c-cbe3e8534c02', 'Katie', 'female', 'en-US'],
  ['9626c31c-bec5-4cca-baa8-f8ba9e84c8bc', 'Jacqueline', 'female', 'en-US'],
];

const GOOGLE: readonly Listed[] = [
  ['en-US-Chirp3-HD-Aoede', 'Aoede', 'female', 'en-US'],
  ['en-US-Chirp3-HD-Charon', 'Charon', 'male', 'en-US'],
  ['en-GB-Chirp3-HD-Kore', 'Kore', 'female', 'en-GB'],
  ['en-GB-Chirp3-HD-Puck', 'Puck', 'male', 'en-GB'],
  ['de-DE-Chirp3-HD-Aoede', 'Aoede', 'female', 'de-DE'],
  ['de-DE-Chirp3-HD-Charon', 'Charon', 'male', 'de-DE'],
  ['es-ES-Chirp3-HD-Kore', 'Kore', 'female', 'es-ES'],
  ['fr-FR-Chirp3-HD-Kore', 'Kore', 'female', 'fr-FR'],
  ['it-IT-Chirp3-HD-Kore', 'Kore', 'female', 'it-IT'],
  ['nl-NL-Chirp3-HD-Kore', 'Kore', 'female', 'nl-NL'],
  ['pt-BR-Chirp3-HD-Kore', 'Kore', 'female', 'pt-BR'],
];

const AZURE: readonly Listed[] = [
  ['en-US-JennyNeural', 'Jenny', 'female', 'en-US'],
  ['en-US-GuyNeural', 'Guy', 'male', 'en-US'],
  ['en-GB-SoniaNeural', 'Sonia', 'female', 'en-GB'],
  ['en-GB-RyanNeural', 'Ryan', 'male', 'en-GB'],
  ['de-DE-KatjaNeural', 'Katja', 'female', 'de-DE'],
  ['de-DE-ConradNeural', 'Conrad', 'male', 'de-DE'],
  ['es-ES-ElviraNeural', 'Elvira', 'female', 'es-ES'],
  ['es-MX-DaliaNeural', 'Dalia', 'female', 'es-MX'],
  ['fr-FR-DeniseNeural', 'Denise', 'female', 'fr-FR'],
  ['fr-FR-HenriNeural', 'Henri', 'male', 'fr-FR'],
  ['it-IT-ElsaNeural', 'Elsa', 'female', 'it-IT'],
  ['nl-NL-FennaNeural', 'Fenna', 'female', 'nl-NL'],
  ['pt-BR-FranciscaNeural', 'Francisca', 'female', 'pt-BR'],
];

const FLITE: readonly Listed[] = FLITE_VOICES.map(({ id, name, gender, language }) => [
  id,
  name,
  gender,
  language,
]);

const BY_TYPE: Record<SpeechProvider['type'], readonly Listed[]> = {
  builtin: BUILTIN,
  openai: OPENAI,
  deepgram: DEEPGRAM,
  elevenlabs: ELEVENLABS,
  cartesia: CARTESIA,
  google: GOOGLE,
  azure: AZURE,
  flite: FLITE,
  pocketsphinx: [],
};

/** Voices that every account of a provider of this type has. */
export function standardVoices(type: SpeechProvider['type']): Omit<Voice, 'provider'>[] {
  return BY_TYPE[type].map(([voice_id, voice_name, gender, language]) => ({
    voice_id,
    voice_name,
    gender,
    language,
    preview_url: null,
  }));
}
