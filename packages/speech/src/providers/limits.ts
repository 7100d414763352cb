import type { SpeechError } from '../ports.ts';

/** Timeouts of a connection to a provider, in real milliseconds. Both attempts of a request together are limited by the fallbacks. */
export type Limits = {
  /** Time until a connection is open, or a request has its first audio. */
  readonly connectMs: number;
  /** Maximum silence of the provider while a result is pending. */
  readonly silenceMs: number;
};

export const DEFAULT_LIMITS: Limits = { connectMs: 5_000, silenceMs: 5_000 };

/** The timeout for the words of an utterance that is recognized as a whole: a long one takes longer. */
export function wordsTimeoutMs(timeoutMs: number, audioMs: number): number {
  return timeoutMs + audioMs / 2;
}

/** Configuration that all hosted providers have in common. */
export type ProviderAccount = {
  /** Undefined: a server without authentication. */
  readonly apiKey?: string | undefined;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly limits?: Limits;
};

/** Maximum wait for the text of a refusal, whose status is known. */
export const REFUSAL_TEXT_MS = 250;

export const RETRY_MS = 100;
const RATE_LIMIT_RETRY_MS = 500;

/** The delay before a retry. */
export const retryDelayMs = ({ kind }: SpeechError): number =>
  kind === 'rate_limit' ? RATE_LIMIT_RETRY_MS : RETRY_MS;

/** The two-letter (or three-letter) language of a BCP 47 tag. */
export function primaryLanguage(tag: string): string {
  return tag.split('-')[0]?.toLowerCase() ?? tag;
}

export function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
