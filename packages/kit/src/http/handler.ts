import type { Readable } from 'node:stream';
import type { AnyEndpoint, BodyOf, ParamsOf, QueryOf } from '@parley/contracts';
import type { Request } from 'express';
import type { Logger } from 'pino';
import type { ZodType, z } from 'zod';
import type { Idempotency } from '../idempotency/index.ts';
import type { Auth } from './auth.ts';

/** What a handler of `E` gets: everything parsed by the contract already. */
export type HandlerInput<E extends AnyEndpoint = AnyEndpoint> = {
  params: ParamsOf<E>;
  query: QueryOf<E>;
  /** Of a `'stream'` endpoint: the bytes as they arrive; read these, never `req`, since they are counted and hashed. */
  body: E extends { body: 'stream' } ? Readable : BodyOf<E>;
  auth: E extends { access: 'open' } ? undefined : Auth;
  requestId: string;
  log: Logger;
  idempotency: Idempotency;
  req: Request;
};

/** One page of a list; `total` counts all matches, `nextCursor` is null at the end (D1.4). */
export type ListAnswer<Item> = { items: Item[]; total: number; nextCursor: string | null };

/** An answer that isn't JSON of the contract (a file, a recording): `bare` endpoints without `response`. */
export type RawAnswer = BodyAnswer | FileAnswer;

export type BodyAnswer = {
  contentType: string;
  body: string | Uint8Array | Readable;
  headers?: Record<string, string>;
  /** Where it differs from the endpoint's, such as 206 and 302. */
  status?: number;
};

/** A file by its absolute path; what `Range`, HEAD and validators ask for is heeded. */
export type FileAnswer = { contentType: string; file: string; headers?: Record<string, string> };

type ResponseInputOf<E> = E extends { response: infer R extends ZodType } ? z.input<R> : RawAnswer;

/** What a handler of `E` returns; the kit checks it against the contract and wraps it. */
export type AnswerOf<E extends AnyEndpoint> = E extends { envelope: 'none' }
  ? // biome-ignore lint/suspicious/noConfusingVoidType: use cases that give nothing return Promise<void>
    void
  : E extends { envelope: 'list' }
    ? ListAnswer<ResponseInputOf<E>>
    : ResponseInputOf<E>;

export type Handler<E extends AnyEndpoint> = (input: HandlerInput<E>) => Promise<AnswerOf<E>> | AnswerOf<E>;
