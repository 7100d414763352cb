import type { ZodType, z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { Role } from './roles.ts';
import type { ServiceName } from './services.ts';

/**
 * Who may ask.
 * `private`: a private key or a member (spec: Authentication 1). `widget`: also a public key (D6.2).
 * `session`: a person who is signed in, and no key (D2.3). `internal`: another service of the platform. `open`: anybody, no key.
 */
export type Access = 'private' | 'widget' | 'session' | 'internal' | 'open';

/**
 * How the answer is wrapped (spec: Conventions).
 * `data`: `{success, data}`; `list`: the same with `pagination`; `bare`: the body as it is; `none`: no body (204).
 */
export type Envelope = 'data' | 'list' | 'bare' | 'none';

/**
 * A route, told once: it types and checks the handler, makes the client of other services,
 * tells the gateway where to forward, and becomes the OpenAPI document.
 */
export type Endpoint<
  Params extends ZodType = ZodType,
  Query extends ZodType = ZodType,
  Body extends ZodType = ZodType,
  Response extends ZodType = ZodType,
> = {
  /** operationId of the OpenAPI document. */
  id: string;
  /** The service that answers. */
  service: ServiceName;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Express style, whole: `/v2/call/:id`. */
  path: string;
  access: Access;
  params?: Params;
  query?: Query;
  /** `'stream'`: the handler reads the request itself, whatever its size. */
  body?: Body | 'stream';
  /** What a streamed body holds, for the OpenAPI document. */
  streamed?: ZodType;
  status: 200 | 201 | 202 | 204;
  envelope: Envelope;
  /** Of `data`, of one item of a list, or of the whole bare body. Absent for `none`. */
  response?: Response;
  errors: readonly ErrorCode[];
  /** Changes nothing though it is no GET: a viewer may use it (D2.3). */
  readsOnly?: boolean;
  /** Of `session`: the least role that it takes in the picked workspace; absent where it is about the person alone. */
  role?: Role;
  /** Honours `Idempotency-Key` (D1.7). */
  idempotent?: boolean;
  /** How long its answer may take to begin, real milliseconds, where that is longer than a hanging service is waited for. */
  answersWithinMs?: number;
  /** Errors are the bare status with an empty body (D1.3). */
  legacy?: boolean;
  /** What a malformed id in the path answers, where that isn't `VALIDATION_FAILED` (D1.4). */
  badIdCode?: ErrorCode;
  /** With no `Authorization: Bearer` at all the 401 body carries `errorMessage` (spec: Authentication 5; D1.2). */
  errorMessage401?: boolean;
  /** A key of `TAGS`, for public endpoints. */
  tag: string;
  summary: string;
  description?: string;
  /** A body that is accepted, for the OpenAPI document. */
  example?: unknown;
};

/** An endpoint of any shape: what lists and routers hold. */
export type AnyEndpoint = Endpoint;

/** What a handler of `E` gets and gives, and what a client of `E` sends and receives. */
export type ParamsOf<E> = E extends { params: infer P extends ZodType } ? z.output<P> : Record<string, never>;
export type QueryOf<E> = E extends { query: infer Q extends ZodType } ? z.output<Q> : Record<string, never>;
export type BodyOf<E> = E extends { body: infer B extends ZodType } ? z.output<B> : undefined;
export type BodyInputOf<E> = E extends { body: infer B extends ZodType } ? z.input<B> : undefined;
export type QueryInputOf<E> = E extends { query: infer Q extends ZodType } ? z.input<Q> : undefined;
export type ResponseOf<E> = E extends { response: infer R extends ZodType } ? z.output<R> : undefined;

/** Keeps the exact types of an endpoint's schemas. */
export function defineEndpoint<const E extends Endpoint>(endpoint: E): E {
  return endpoint;
}
