import { SpeechError, type SpeechErrorKind } from '../ports.ts';

const DETAIL_CHARACTERS = 200;

/** The failure that an HTTP status means, of a request or of a WebSocket's handshake. `detail`: the provider's own words. */
export function failureOfStatus(provider: string, status: number, detail = ''): SpeechError {
  const words = detail.replace(/\s+/g, ' ').trim().slice(0, DETAIL_CHARACTERS);
  return new SpeechError(
    provider,
    kindOfStatus(status),
    words === '' ? `HTTP ${status}` : `HTTP ${status}: ${words}`,
  );
}

function kindOfStatus(status: number): SpeechErrorKind {
  // 402: the account has no credit left.
  if ([401, 402, 403].includes(status)) return 'credentials';
  if ([408, 504].includes(status)) return 'timeout';
  if (status === 429) return 'rate_limit';
  return status >= 400 && status < 500 ? 'request' : 'unavailable';
}

/** Converts a connection error; returns a SpeechError unchanged. */
export function failureOf(provider: string, err: unknown): SpeechError {
  if (err instanceof SpeechError) return err;
  const code = codeOf(err);
  const reason = code === undefined ? '' : ` (${code})`;
  return new SpeechError(provider, 'unavailable', `the connection failed${reason}`, { cause: err });
}

/** `fetch` wraps the error of the socket. */
function codeOf(err: unknown): string | undefined {
  if (!(err instanceof Error)) return undefined;
  const { code } = err as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : codeOf(err.cause);
}

export function malformed(provider: string, what: string): SpeechError {
  return new SpeechError(provider, 'protocol', what);
}

export function timedOut(provider: string, what: string): SpeechError {
  return new SpeechError(provider, 'timeout', what);
}

/** The request could not even be built. The error is dropped: it may contain the key. */
export function malformedRequest(provider: string): SpeechError {
  return new SpeechError(provider, 'request', 'the key or the address is malformed');
}

/** Whether a retry or another connection may succeed. */
export function isTemporary(err: unknown): err is SpeechError {
  return err instanceof SpeechError && err.kind !== 'credentials' && err.kind !== 'request';
}

/** Removes the key, which some providers repeat in their response. */
export function withoutKey(text: string, key: string | undefined): string {
  return key ? text.replaceAll(key, '***') : text;
}
