/** An available voice [assistants.18]. */
export type Voice = {
  voice_id: string;
  voice_name: string;
  provider: string;
  gender: 'female' | 'male' | 'neutral';
  language: string;
};
