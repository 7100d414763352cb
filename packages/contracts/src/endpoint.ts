import type { ZodType, z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { Role } from './roles.ts';
import type { ServiceName } from './services.ts';

/**
 * Which credentials an endpoint accepts.
 * `private`: a private key or a session [access.1]. `widget`: private and public keys [web-calls.1].
 * `session`: a signed-in member, no key. `internal`: another service of the platform. `open`: no credentials.
 */
export type Access = 'private' | 'widget' | 'session' | 'internal' | 'open';

/**
 * How the response body is wrapped [general.6].
 * `data`: `{success, data}`; `list`: the same with `pagination`; `bare`: the unwrapped body; `none`: no body (204).
 */
export type Envelope = 'data' | 'list' | 'bare' | 'none';

/**
 * A route, defined once: it types and validates the handler, generates the client for other services, routes requests in the gateway,
 * and generates the OpenAPI operation.
 */
export type Endpoint<
  Params extends ZodType = ZodType,
  Query extends ZodType = ZodType,
  Body extends ZodType = ZodType,
  Response extends ZodType = ZodType,
> = {
  /** operationId of the OpenAPI document. */
  id: string;
  /** The service that implements it. */
  service: ServiceName;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Full path with Express parameters: `/v2/call/:id`. */
  path: string;
  access: Access;
  params?: Params;
  query?: Query;
  /** `'stream'`: the handler reads the request body itself, without a size limit of its own. */
  body?: Body | 'stream';
  /** Schema of a streamed body, for the OpenAPI document. */
  streamed?: ZodType;
  status: 200 | 201 | 202 | 204 | 302;
  envelope: Envelope;
  /** Schema of `data`, of one item of a list, or of the whole bare body. Absent for `none`. */
  response?: Response;
  /** Media type of a body that is not JSON. */
  mediaType?: string;
  /** Further statuses without an error code, with their descriptions, for the OpenAPI document. */
  otherStatuses?: Readonly<Record<number, string>>;
  /** What `Set-Cookie` does, by status, for the OpenAPI document. */
  cookies?: Readonly<Record<number, string>>;
  /** Authenticated by the `access_token` of a web call, in `x-access-token`. */
  callToken?: boolean;
  errors: readonly ErrorCode[];
  /** Read-only despite its method, so viewers may use it [access.5]. */
  readsOnly?: boolean;
  /** Minimum role of the member. A `session` endpoint without it concerns the user's own account. */
  role?: Role;
  /** Honors `Idempotency-Key` [general.20]. */
  idempotent?: boolean;
  /**
   * Response timeout in real milliseconds, where the gateway's default is too short or the handler waits for something: such requests
   * have connections of their own, with a share for each workspace [trust.1].
   */
  answersWithinMs?: number;
  /** Errors are the bare status with an empty body [general.10]. */
  legacy?: boolean;
  /** Error code for a malformed id in the path, where that isn't `VALIDATION_FAILED` [general.15]. */
  badIdCode?: ErrorCode;
  /** Without `Authorization: Bearer` the 401 body has `errorMessage` instead of `error` [general.11]. */
  errorMessage401?: boolean;
  /** A key of `TAGS`, for public endpoints. */
  tag: string;
  summary: string;
  description?: string;
  /** A valid body, for the OpenAPI document. */
  example?: unknown;
};

/** An endpoint with any schemas. */
export type AnyEndpoint = Endpoint;

/** Types of a handler's input and output, and of a client's (`…Input`: before defaults apply). */
export type ParamsOf<E> = E extends { params: infer P extends ZodType } ? z.output<P> : Record<string, never>;
export type QueryOf<E> = E extends { query: infer Q extends ZodType } ? z.output<Q> : Record<string, never>;
export type BodyOf<E> = E extends { body: infer B extends ZodType } ? z.output<B> : undefined;
export type BodyInputOf<E> = E extends { body: infer B extends ZodType } ? z.input<B> : undefined;
export type QueryInputOf<E> = E extends { query: infer Q extends ZodType } ? z.input<Q> : undefined;
export type ResponseOf<E> = E extends { response: infer R extends ZodType } ? z.output<R> : undefined;

/** Preserves the exact types of an endpoint's schemas. */
export function defineEndpoint<const E extends Endpoint>(endpoint: E): E {
  return endpoint;
}
