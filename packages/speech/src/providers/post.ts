import { failureOf, failureOfStatus, malformedRequest, withoutKey } from './failures.ts';
import { REFUSAL_TEXT_MS } from './limits.ts';
import { after } from './waiting.ts';

const DETAIL_BYTES = 4_096;

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
