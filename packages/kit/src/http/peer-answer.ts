import {
  type AnyEndpoint,
  ERROR_STATUS,
  type ErrorCode,
  type ResponseOf,
  type ServiceName,
} from '@parley/contracts';
import { z } from 'zod';
import { AppError } from '../errors/index.ts';
import type { ListAnswer } from './handler.ts';

export type PeerResponse = { statusCode: number; body: string; retryAfter: string | undefined };

/** What `call` gives: the data, a page of a list, the bare body, nothing. */
export type PeerAnswerOf<E extends AnyEndpoint> = E extends { envelope: 'list' }
  ? ListAnswer<ResponseOf<E>>
  : ResponseOf<E>;

const RETRY_AFTER_SECONDS = 2;

/** Takes the answer of an endpoint out of its envelope and checks it by the contract. */
export function createReadAnswer(
  endpoint: AnyEndpoint,
  name: ServiceName,
): (response: PeerResponse) => unknown {
  const { envelope, response: item, id } = endpoint;
  if (envelope === 'none' || !item) return () => undefined;
  const pagination = z.object({ total: z.number(), next_cursor: z.string().nullable() });
  const list = z
    .object({ data: z.array(item), pagination })
    .transform(({ data, pagination: { total, next_cursor: nextCursor } }) => ({
      items: data,
      total,
      nextCursor,
    }));
  const data = z.object({ data: item }).transform((whole) => whole.data);
  const schema = { list, data, bare: item }[envelope];
  return ({ body }) => {
    const result = schema.safeParse(parseJson(body));
    if (result.success) return result.data;
    throw new Error(`the answer of ${name} to ${id} breaks its contract`, { cause: result.error });
  };
}

const errorBody = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })).optional(),
  }),
});

/** The peer's error as ours: its code and message; what it did not say in our words is an `INTERNAL_ERROR`. */
export function errorOf({ statusCode, body, retryAfter }: PeerResponse, name: ServiceName): AppError {
  const { data } = errorBody.safeParse(parseJson(body));
  const wait = Number(retryAfter);
  const retryAfterSeconds = Number.isFinite(wait) && retryAfter ? wait : RETRY_AFTER_SECONDS;
  if (data && isErrorCode(data.error.code)) {
    const { code, message, details } = data.error;
    return new AppError(code, message, {
      ...(details ? { details: details as NonNullable<AppError['details']> } : {}),
      ...(ERROR_STATUS[code] === 503 || ERROR_STATUS[code] === 429 ? { retryAfterSeconds } : {}),
    });
  }
  const cause = new Error(`${name} answered ${statusCode}`);
  if (statusCode >= 502 && statusCode <= 504) return unavailable(name, cause, retryAfterSeconds);
  return new AppError('INTERNAL_ERROR', 'Something went wrong on our side', { cause });
}

/** `503 SERVICE_UNAVAILABLE` for a peer that can't be asked right now. */
export function unavailable(
  name: ServiceName,
  cause: unknown,
  retryAfterSeconds = RETRY_AFTER_SECONDS,
): AppError {
  if (cause instanceof AppError) return cause;
  return new AppError(
    'SERVICE_UNAVAILABLE',
    `The ${name} service is not available right now, try again shortly`,
    {
      cause,
      retryAfterSeconds,
    },
  );
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_STATUS, code);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
