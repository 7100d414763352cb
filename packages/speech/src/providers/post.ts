import { failureOf, failureOfStatus, malformed, malformedRequest, withoutKey } from './failures.ts';
import { REFUSAL_TEXT_MS } from './limits.ts';
import { after } from './waiting.ts';

const DETAIL_BYTES = 4_096;
/** Over four minutes of audio of 24 kHz, for one sentence. */
const MAX_ANSWER_BYTES = 16 * 1024 ** 2;

type Post = {
  provider: string;
  url: URL;
  /** Includes the key. */
  headers: Record<string, string>;
  key: string | undefined;
  /** A string or bytes are sent as they are, under the content type of the headers; anything else as JSON. */
  body: unknown;
};

/** The answer's body is not read yet. Rejects with SpeechError, also for an HTTP error. */
export async function post(
  { provider, url, headers: given, key, body }: Post,
  signal: AbortSignal,
): Promise<Response> {
  const headers = headersOf(provider, { 'content-type': 'application/json', ...given });
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers,
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      redirect: 'error',
      signal,
    });
  } catch (err) {
    signal.throwIfAborted();
    throw failureOf(provider, err);
  }
  if (response.ok) return response;
  throw failureOfStatus(provider, response.status, withoutKey(await detailOf(response), key));
}

/** The JSON of an answer. Rejects with SpeechError if it is malformed or too long; when the signal aborts the answer is closed. */
export async function jsonOf(provider: string, response: Response, signal: AbortSignal): Promise<unknown> {
  const text = await textOf(provider, response, signal);
  try {
    return JSON.parse(text);
  } catch {
    throw malformed(provider, 'the answer is not JSON');
  }
}

/** Like `jsonOf`. */
export async function textOf(
  provider: string,
  { body }: Response,
  signal: AbortSignal | null | undefined,
): Promise<string> {
  if (!body) return '';
  const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const close = (): void => void reader.cancel().catch(() => {});
  signal?.addEventListener('abort', close, { once: true });
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for (let part = await reader.read(); part.value; part = await reader.read()) {
      size += part.value.length;
      if (size > MAX_ANSWER_BYTES) throw malformed(provider, 'the answer is too long');
      parts.push(part.value);
    }
  } finally {
    signal?.removeEventListener('abort', close);
    close();
  }
  signal?.throwIfAborted();
  return Buffer.concat(parts).toString('utf8');
}

function headersOf(provider: string, given: Record<string, string>): Headers {
  try {
    return new Headers(given);
  } catch {
    throw malformedRequest(provider);
  }
}

/** The text of a refusal, as far as it arrives in time; its body is then closed. */
export async function detailOf({ body }: Response): Promise<string> {
  if (!body) return '';
  const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const close = (): void => void reader.cancel().catch(() => {});
  const cancel = after(REFUSAL_TEXT_MS, close);
  let detail: Buffer = Buffer.alloc(0);
  try {
    while (detail.length < DETAIL_BYTES) {
      const { done, value } = await reader.read();
      if (done) break;
      detail = Buffer.concat([detail, value]);
    }
  } catch {
    // The status is sufficient.
  }
  cancel();
  close();
  return detail.toString('utf8');
}
