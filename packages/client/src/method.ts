import type { BodyInputOf, QueryInputOf, QueryOf } from '@parley/contracts';
import type { ZodType, z } from 'zod';
import type { PageRequest } from './pages.ts';

export type RequestOptions = {
  /** Aborts the request: the method rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Timeout of all attempts and delays together. */
  deadlineMs?: number;
  /** Maximum retries. */
  retries?: number;
  /** For requests that create something; generated per call of the method by default, so that retries create nothing twice. */
  idempotencyKey?: string;
  /** Called if the response is that of an earlier request with the same key. */
  onReplayed?: () => void;
};

type ParametersOf<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${string}/${infer Tail}`
    ? [id: string, ...ParametersOf<Tail>]
    : [id: string]
  : [];

type StreamedOf<E> = E extends { body: 'stream'; streamed: infer S extends ZodType } ? z.input<S> : undefined;
/** The input of a query string, in which numbers are sent as text. */
type Numbers<Sent, Read> = {
  [K in keyof Sent]: K extends keyof Read
    ? NonNullable<Read[K]> extends number
      ? number | Sent[K]
      : Sent[K]
    : Sent[K];
};

type Input<E> = E extends { body: 'stream' }
  ? StreamedOf<E>
  : E extends { body: ZodType }
    ? BodyInputOf<E>
    : E extends { query: ZodType }
      ? Numbers<QueryInputOf<E>, QueryOf<E>>
      : undefined;
type InputArguments<E> =
  Input<E> extends undefined
    ? []
    : Record<never, never> extends Input<E>
      ? [input?: Input<E>]
      : [input: Input<E>];

type ResponseOf<E> = E extends { response: infer R extends ZodType } ? z.output<R> : Response;

/** `none`: nothing; `list`: a page, or an iterator over all pages; `data` and `bare`: the response of the contract. */
type Answer<E> = E extends { envelope: 'none' }
  ? Promise<void>
  : E extends { envelope: 'list' }
    ? PageRequest<ResponseOf<E>>
    : Promise<ResponseOf<E>>;

/** The method of an endpoint: path parameters, then body or query, then options. */
export type Method<E extends { path: string }> = (
  ...args: [...ParametersOf<E['path']>, ...InputArguments<E>, options?: RequestOptions]
) => Answer<E>;
