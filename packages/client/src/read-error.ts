import type { ErrorDetail } from '@parley/contracts';
import { ParleyError } from './parley-error.ts';

type ErrorBody = {
  error?: { code?: unknown; message?: unknown; details?: ErrorDetail[] };
  errorMessage?: unknown;
};

/** The error of a response, from the API or from an intermediary. */
export async function readError(response: Response): Promise<ParleyError> {
  const text = await response.text().catch(() => '');
  const { error, errorMessage } = parse(text);
  const fields = {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), Date.now()),
  };
  if (typeof error?.code === 'string') {
    const details = Array.isArray(error.details) ? error.details : [];
    return new ParleyError(error.code, String(error.message ?? error.code), withId({ ...fields, details }));
  }
  if (typeof errorMessage === 'string') return new ParleyError('UNAUTHORIZED', errorMessage, withId(fields));
  const message = `The response with status ${response.status} is not from the API`;
  return new ParleyError('UNEXPECTED_RESPONSE', message, withId(fields));
}

/** Milliseconds from now, from seconds or an HTTP date; undefined if malformed. */
function parseRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

function parse(text: string): ErrorBody {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as ErrorBody) : {};
  } catch {
    return {};
  }
}

function withId<T extends { requestId: string | undefined }>({ requestId, ...fields }: T) {
  return requestId === undefined ? fields : { ...fields, requestId };
}
