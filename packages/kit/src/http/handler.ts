import type { Readable } from 'node:stream';
import type { AnyEndpoint, BodyOf, ParamsOf, QueryOf } from '@parley/contracts';
import type { Request } from 'express';
import type { Logger } from 'pino';
import type { ZodType, z } from 'zod';
import type { Idempotency } from '../idempotency/index.ts';
import type { Auth, ChangedBy } from './auth.ts';

/** The input of a handler of `E`, parsed by the contract. */
export type HandlerInput<E extends AnyEndpoint = AnyEndpoint> = {
  params: ParamsOf<E>;
  query: QueryOf<E>;
  /** For `'stream'` endpoints: the bytes as they arrive. Never read `req` instead, since these are counted and hashed. */
  body: E extends { body: 'stream' } ? Readable : BodyOf<E>;
  auth: E extends { access: 'open' } ? undefined : Auth;
  /** The author of the change, for the audit log. */
  by: E extends { access: 'open' } ? undefined : ChangedBy;
  requestId: string;
  log: Logger;
  idempotency: Idempotency;
  req: Request;
};

/** One page of a list; `total` counts all matches, `nextCursor` is null on the last page [general.13]. */
export type ListPage<Item> = { items: Item[]; total: number; nextCursor: string | null };

/** A page whose items are read while it is sent (`stream-response.ts`). */
export type StreamedList<Item> = { items: AsyncIterable<Item>; total: number; nextCursor: string | null };

/** An item of a streamed list; its own lists may be read while it is sent as well. */
type StreamedItem<Item> = {
  [Key in keyof Item]: Item[Key] extends readonly (infer Part)[]
    ? Item[Key] | AsyncIterable<Part>
    : Item[Key];
};

/** A response that isn't JSON of the contract (a file, a recording): of `bare` endpoints without `response`. */
export type RawResponse = BodyResponse | FileResponse | ContentResponse;

export type BodyResponse = {
  contentType: string;
  /** The pieces of an async iterable are read as fast as the client receives them. */
  body: string | Uint8Array | Readable | AsyncIterable<string>;
  headers?: Record<string, string>;
  /** If it differs from the endpoint's, such as 206 and 302. */
  status?: number;
};

/** A file by its absolute path, with support for `Range`, HEAD and conditional requests. */
export type FileResponse = { contentType: string; file: string; headers?: Record<string, string> };

/** Content that is stored elsewhere, with the same support. */
export type ContentResponse = {
  contentType: string;
  content: {
    /** In bytes. */
    size: number;
    etag: string;
    modifiedAt: Date;
    /** Reads a part, the end included. Rejects with `AppError` if it can't be read now. */
    read(part: { start: number; end: number }): Promise<Readable>;
  };
  headers?: Record<string, string>;
};

type ResponseInputOf<E> = E extends { response: infer R extends ZodType } ? z.input<R> : RawResponse;

/** What a handler of `E` returns; `mount` validates it by the contract and adds the envelope. */
type HandlerResult<E extends AnyEndpoint> = E extends { envelope: 'none' }
  ? // biome-ignore lint/suspicious/noConfusingVoidType: use cases without a result return Promise<void>
    void
  : E extends { envelope: 'list' }
    ? ListPage<ResponseInputOf<E>> | StreamedList<ResponseInputOf<E>>
    : E extends { envelope: 'data' }
      ? ResponseInputOf<E> | StreamOf<ResponseInputOf<E>>
      : ResponseInputOf<E>;

type StreamOf<Response> = Response extends readonly (infer Item)[]
  ? AsyncIterable<StreamedItem<Item>>
  : never;

export type Handler<E extends AnyEndpoint> = (
  input: HandlerInput<E>,
) => Promise<HandlerResult<E>> | HandlerResult<E>;
