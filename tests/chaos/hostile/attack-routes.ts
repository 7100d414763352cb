import { publicEndpoints } from '@parley/contracts';
import { hostileValues, placesIn } from '@parley/testkit/hostile';
import type { Random } from '@parley/testkit/load';
import { anyJson, mutate } from './any-json.ts';
import { type Attack, type Attacker, bearer, send } from './attack.ts';

type Endpoint = (typeof publicEndpoints)[number];
const HUGE = Object.values(hostileValues) as [string, ...string[]];
const ENDPOINTS = publicEndpoints as unknown as [Endpoint, ...Endpoint[]];

/** Any route with any key; the input is valid, nearly valid, or garbage of any size. */
export const attackRoutes: Attack = async (attacker, random) => {
  const endpoint = random.pick(ENDPOINTS);
  const session = mayUseSession(endpoint) && random.chance(0.8) ? attacker.session : undefined;
  const { status, text } = await send(attacker, {
    method: endpoint.method,
    path: pathOf(endpoint, attacker, random) + queryOf(random),
    headers: { ...oddHeaders(random), ...(session ?? keyOf(attacker, random)) },
    ...(endpoint.method === 'GET' ? {} : { body: bodyOf(endpoint, attacker, random) }),
  });
  remember(attacker, text);
  const kind = session ? 'session' : 'route';
  return `${kind} ${status}${status >= 500 ? ` ${endpoint.method} ${endpoint.path}` : ''}`;
};

/** They would end the attacker's own session, membership or keys; streams have an attack of their own. */
const NOT_BY_SESSION = new Set([
  ...['signOut', 'revokeSession', 'changePassword', 'leaveWorkspace', 'removeMember', 'changeMember'],
  ...['revokeKey', 'changeKey', 'streamDashboardEvents'],
]);

const mayUseSession = ({ access, id }: Endpoint): boolean => access === 'session' && !NOT_BY_SESSION.has(id);

/** Later requests use the ids in responses. */
function remember({ ids }: Attacker, text: string): void {
  for (const [id] of text.slice(0, 5_000).matchAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g))
    ids.push(id);
  ids.splice(0, Math.max(0, ids.length - 200));
}

/** Lone surrogates can't be encoded. */
const encode = (value: unknown): string =>
  encodeURIComponent(String(value).replace(/[\ud800-\udfff]/g, '\ufffd'));

function pathOf({ method, path }: Endpoint, { ids, agentId, numberId }: Attacker, random: Random): string {
  return path.replace(/:\w+/g, () => {
    const id = random.pick(ids as [string, ...string[]]);
    // Without them the other attacks would reach nothing.
    const isKept = method === 'DELETE' && (id === agentId || id === numberId);
    if (!isKept && random.chance(0.7)) return id;
    return encode(anyJson(random, 0)) || '%00';
  });
}

function queryOf(random: Random): string {
  if (random.chance(0.6)) return '';
  const names = ['page', 'page_size', 'limit', 'offset', 'search', 'status', 'cursor', 'from', 'x'] as const;
  const value = encode(anyJson(random, 1));
  return `?${random.pick(names)}=${value}&${random.pick(names)}=${value.slice(0, 3_000)}`;
}

function keyOf({ privateKey, publicKey }: Attacker, random: Random): Record<string, string> {
  if (random.chance(0.75)) return bearer(privateKey);
  if (random.chance(0.5)) return bearer(publicKey);
  return random.chance(0.5) ? {} : bearer(`${privateKey.slice(0, -1)}0`);
}

function oddHeaders(random: Random): Record<string, string> {
  if (random.chance(0.8)) return {};
  return random.pick([
    { 'idempotency-key': `k${Math.floor(random.upTo(20))}` },
    { 'idempotency-key': 'x'.repeat(300) },
    { 'x-request-id': 'x'.repeat(500) },
    { 'x-parley-internal': 'e30.e30.e30' },
    { 'x-forwarded-for': '127.0.0.1' },
    { 'content-type': 'text/plain' },
    { 'content-encoding': 'gzip' },
    { cookie: 'parley_session=x' },
    { traceparent: '00-ffffffffffffffffffffffffffffffff-ffffffffffffffff-01' },
  ]);
}

function bodyOf(endpoint: Endpoint, attacker: Attacker, random: Random): string {
  const { agentId, phoneNumber } = attacker;
  const own = { agent_id: agentId, from_number: phoneNumber, phone_number: phoneNumber };
  const example = endpoint.example as Record<string, unknown> | undefined;
  const valid = Object.fromEntries(
    Object.entries(example ?? {}).map(([name, value]) => [name, own[name as keyof typeof own] ?? value]),
  );
  const choice = random.upTo(1);
  if (choice < 0.4) return JSON.stringify(valid);
  if (choice < 0.8) return JSON.stringify(mutate(valid, random));
  if (choice < 0.9) return JSON.stringify(anyJson(random, 6));
  const places = placesIn(endpoint);
  if (places.length === 0 || choice < 0.93) return random.pick(HUGE);
  const [first, ...others] = places;
  return first ? random.pick([first, ...others]).wrap(random.pick(HUGE)) : '';
}
