/** By name, so that the package of speech is loaded only where there is audio. */
export const isSpeechError = (err: unknown): boolean => err instanceof Error && err.name === 'SpeechError';
