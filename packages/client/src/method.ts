import type { BodyInputOf, QueryInputOf, QueryOf } from '@parley/contracts';
import type { ZodType, z } from 'zod';
import type { PageRequest } from './pages.ts';

export type RequestOptions = {
  /** Gives the request up: the method rejects with its reason. */
  signal?: AbortSignal;
  /** For all attempts and waits together. */
  deadlineMs?: number;
  /** Attempts after the first. */
  retries?: number;
  /** Of a creating request; without it each call of the method gets its own, so that its retries create nothing twice. */
  idempotencyKey?: string;
};

type ParametersOf<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${string}/${infer Tail}`
    ? [id: string, ...ParametersOf<Tail>]
    : [id: string]
  : [];

type StreamedOf<E> = E extends { body: 'stream'; streamed: infer S extends ZodType } ? z.input<S> : undefined;
/** Of a query string, whose whole numbers are texts on the way. */
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

/** `none`: nothing; `list`: a page that is also all pages; `data` and `bare`: what the contract says. */
type Answer<E> = E extends { envelope: 'none' }
  ? Promise<void>
  : E extends { envelope: 'list' }
    ? PageRequest<ResponseOf<E>>
    : Promise<ResponseOf<E>>;

/** The method of an endpoint: parameters of its path, what is sent, options. */
export type Method<E extends { path: string }> = (
  ...args: [...ParametersOf<E['path']>, ...InputArguments<E>, options?: RequestOptions]
) => Answer<E>;
