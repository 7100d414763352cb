import {
  type AnyEndpoint,
  ERROR_STATUS,
  type ErrorCode,
  type ResponseOf,
  type ServiceName,
} from '@parley/contracts';
import { z } from 'zod';
import { AppError } from '../errors/index.ts';
import type { ListPage } from './handler.ts';

export type HttpResponse = { statusCode: number; body: string; retryAfter: string | undefined };

/** The result of `call`: the data, a page of a list, the bare body or nothing. */
export type ServiceResponseOf<E extends AnyEndpoint> = E extends { envelope: 'list' }
  ? ListPage<ResponseOf<E>>
  : ResponseOf<E>;

const RETRY_AFTER_SECONDS = 2;

/** Makes the function that takes a response of the endpoint out of its envelope and validates it by the contract. */
export function createReadResponse(
  endpoint: AnyEndpoint,
  name: ServiceName,
): (response: HttpResponse) => unknown {
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
    throw new Error(`the response of ${name} to ${id} violates its contract`, { cause: result.error });
  };
}

const errorBody = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })).optional(),
  }),
});

/** The error of a response with its code and message; `INTERNAL_ERROR` if the body has no error envelope. */
export function errorOf({ statusCode, body, retryAfter }: HttpResponse, name: ServiceName): AppError {
  const { data } = errorBody.safeParse(parseJson(body));
  const seconds = Number(retryAfter);
  const retryAfterSeconds = Number.isFinite(seconds) && retryAfter ? seconds : RETRY_AFTER_SECONDS;
  if (data && isErrorCode(data.error.code)) {
    const { code, message, details } = data.error;
    return new AppError(code, message, {
      ...(details ? { details: details as NonNullable<AppError['details']> } : {}),
      ...(ERROR_STATUS[code] === 503 || ERROR_STATUS[code] === 429 ? { retryAfterSeconds } : {}),
    });
  }
  const cause = new Error(`${name} responded with ${statusCode}`);
  if (statusCode >= 502 && statusCode <= 504) return unavailable(name, cause, retryAfterSeconds);
  return new AppError('INTERNAL_ERROR', 'Something went wrong on our side', { cause });
}

/** `503 SERVICE_UNAVAILABLE` for a service that cannot be called right now. */
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
