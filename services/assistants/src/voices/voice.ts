/** A voice of a configured provider [assistants.18]. */
export type Voice = {
  voice_id: string;
  voice_name: string;
  provider: string;
  gender: 'female' | 'male' | 'neutral';
  language: string;
  /** URL of an audio sample; null: none. */
  preview_url: string | null;
};
