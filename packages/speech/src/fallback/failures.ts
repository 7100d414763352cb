import { SpeechError } from '../ports.ts';

/** Whether the same request may succeed at the second attempt. */
export function isRepeatable({ kind }: SpeechError): boolean {
  return kind !== 'credentials' && kind !== 'request';
}

/** What a provider threw or rejected with, as SpeechError. */
export function toSpeechError(provider: string, error: unknown): SpeechError {
  if (error instanceof SpeechError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new SpeechError(provider, 'unavailable', message, { cause: error });
}
