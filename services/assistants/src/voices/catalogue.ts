/** An available voice [assistants.18]. */
export type Voice = {
  voice_id: string;
  voice_name: string;
  provider: string;
  gender: 'female' | 'male' | 'neutral';
  language: string;
};

const voice = (
  voice_id: string,
  gender: Voice['gender'],
  language: string,
  voice_name = voice_id.charAt(0).toUpperCase() + voice_id.slice(1),
): Voice => ({ voice_id, voice_name, provider: 'builtin', gender, language });

/** Listed by `GET /v1/voice`, and the allowed values of `voice.voiceId`. */
export const VOICES: readonly Voice[] = [
  voice('aria', 'female', 'en-US'),
  voice('miles', 'male', 'en-US'),
  voice('quinn', 'neutral', 'en-US'),
  voice('imogen', 'female', 'en-GB'),
  voice('rhys', 'male', 'en-GB'),
  voice('matilda', 'female', 'en-AU'),
  voice('lena', 'female', 'de-DE'),
  voice('jonas', 'male', 'de-DE'),
  voice('camille', 'female', 'fr-FR'),
  voice('lucia', 'female', 'es-ES', 'Lucía'),
  voice('mateo', 'male', 'es-MX'),
  voice('giulia', 'female', 'it-IT'),
  voice('beatriz', 'female', 'pt-BR'),
  voice('sanne', 'female', 'nl-NL'),
];

export const DEFAULT_VOICE_ID = 'aria';
