import type { Method, RequestOptions } from './method.ts';
import { type ListBody, requestPages } from './pages.ts';
import { ParleyError } from './parley-error.ts';
import type { Route, Routes } from './route.ts';
import { type Connection, send } from './send.ts';

/** The methods of resources whose endpoints are `R`. */
export type MethodsOf<R> = {
  readonly [Name in keyof R]: { readonly [M in keyof R[Name]]: MethodOf<R[Name][M]> };
};
type MethodOf<E> = E extends { path: string } ? Method<E> : never;

/** Methods that send the requests of these routes. Their types are those of the endpoints `R`. */
export function createMethods<R>(connection: Connection, routes: Routes): MethodsOf<R> {
  const groups = Object.entries(routes).map(([name, methods]) => [
    name,
    Object.fromEntries(
      Object.entries(methods).map(([method, route]) => [method, methodOf(connection, route)]),
    ),
  ]);
  return Object.fromEntries(groups) as MethodsOf<R>;
}

function methodOf(connection: Connection, route: Route) {
  const names = route.path.match(/:\w+/g) ?? [];
  return (...args: unknown[]): unknown => {
    const ids = args.slice(0, names.length).map(String);
    const rest = args.slice(names.length);
    const input = (route.sends === 'nothing' ? {} : (rest.shift() ?? {})) as Record<string, unknown>;
    const options = (rest[0] ?? {}) as RequestOptions;
    const request = async (sent: Record<string, unknown>): Promise<Response> => {
      const path = names.reduce((made, name, i) => made.replace(name, segmentOf(name, ids[i])), route.path);
      const hasBody = route.sends === 'body' || route.sends === 'upload';
      return send(connection, {
        route,
        path: hasBody ? path : path + queryOf(sent),
        body: hasBody ? sent : undefined,
        options,
      });
    };
    if (route.envelope === 'list') {
      return requestPages(route, input, async (sent) => (await readJson(await request(sent))) as ListBody);
    }
    return request(input).then((response) => read(route, response));
  };
}

/** These cannot be escaped in a path: they would change it, and so send a different request. */
const INVALID_SEGMENTS: readonly string[] = ['', '.', '..'];

function segmentOf(name: string, id = ''): string {
  if (INVALID_SEGMENTS.includes(id))
    throw new TypeError(`${name.slice(1)} must not be ${JSON.stringify(id)}`);
  return encodeURIComponent(id);
}

async function read({ envelope, isFile }: Route, response: Response): Promise<unknown> {
  if (envelope === 'none') return response.body?.cancel();
  if (isFile) return response;
  const body = (await readJson(response)) as { data?: unknown };
  return envelope === 'bare' ? body : body.data;
}

/** A 2xx response that is not a JSON object comes from an intermediary, such as the error page of a proxy. */
async function readJson(response: Response): Promise<unknown> {
  const body: unknown = await response.json().catch(() => undefined);
  if (typeof body === 'object' && body !== null) return body;
  const message = `The response with status ${response.status} is not from the API`;
  throw new ParleyError('UNEXPECTED_RESPONSE', message, { status: response.status });
}

function queryOf(input: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input))
    if (value !== undefined && value !== null) query.append(name, String(value));
  return query.size > 0 ? `?${query}` : '';
}
