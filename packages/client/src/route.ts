import type { AnyEndpoint } from '@parley/contracts';

/** What a client needs of an endpoint to send requests, without its schemas. */
export type Route = {
  id: string;
  method: AnyEndpoint['method'];
  path: string;
  envelope: AnyEndpoint['envelope'];
  /** Where the input goes; `upload`: a body whose transfer may take long. */
  sends: 'body' | 'upload' | 'query' | 'nothing';
  /** The response is not JSON: a download, or nothing. */
  isFile?: boolean;
  isIdempotent?: boolean;
  /** Can be repeated without a second effect. */
  isRepeatable?: boolean;
  answersWithinMs?: number;
};

export type Routes = Readonly<Record<string, Readonly<Record<string, Route>>>>;

/** The routes of resources, by the names of their methods. */
export function routesOf(
  resources: Readonly<Record<string, Readonly<Record<string, AnyEndpoint>>>>,
  repeatablePosts: ReadonlySet<string>,
): Routes {
  return mapValues(resources, (methods) =>
    mapValues(methods, (endpoint) => routeOf(endpoint, repeatablePosts)),
  );
}

function routeOf(endpoint: AnyEndpoint, repeatablePosts: ReadonlySet<string>): Route {
  const { id, method, path, envelope, answersWithinMs } = endpoint;
  const isIdempotent = endpoint.idempotent === true;
  // A POST that creates something has an `Idempotency-Key`.
  const isRepeatable = method !== 'POST' || isIdempotent || envelope === 'list' || repeatablePosts.has(id);
  return {
    ...{ id, method, path, envelope, sends: placeOf(endpoint) },
    ...(endpoint.response === undefined ? { isFile: true } : {}),
    ...(isIdempotent ? { isIdempotent } : {}),
    ...(isRepeatable ? { isRepeatable } : {}),
    ...(answersWithinMs === undefined ? {} : { answersWithinMs }),
  };
}

function placeOf({ body, query }: AnyEndpoint): Route['sends'] {
  if (body !== undefined) return body === 'stream' ? 'upload' : 'body';
  return query === undefined ? 'nothing' : 'query';
}

function mapValues<V, W>(values: Readonly<Record<string, V>>, map: (value: V) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
