import type { ZodType, z } from 'zod';
import type { AnyEndpoint, ResponseOf } from '../endpoint.ts';

/** By the id of the endpoint or the name of the event: the `data` of a response, one item of a list, or a whole bare body. */
export type Example = readonly [id: string, body: unknown];

/** Checked by the compiler against the endpoint's schema. */
export function example<const E extends AnyEndpoint>(endpoint: E, response: ResponseOf<E>): Example {
  return [endpoint.id, response];
}

/** The same for a request that the platform sends. */
export function sent<const S extends ZodType>(name: string, _schema: S, body: z.output<S>): Example {
  return [name, body];
}
