import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AnyEndpoint,
  allEndpoints,
  countSecretsOf,
  isAtLeast,
  publicEndpoints,
  reencryptSecretsOf,
  SECRET_KEEPERS,
} from '@parley/contracts';
import { createInternalTokens, INTERNAL_TOKEN_HEADER, NO_WORKSPACE } from '@parley/kit/http';
import { type Receiver, receiver } from '@parley/testkit';
import { bootPlatform, type Platform } from './platform/boot-platform.ts';
import { type SessionHeaders, signInAs } from './platform/session.ts';
import {
  bySession,
  type Ids,
  MALFORMED,
  newParty,
  type Party,
  pathWith,
  unknownIds,
} from './platform/two-workspaces.ts';

// Every route of the platform's table, by whoever may not use it. A new route is here by being in the contracts.

let platform: Platform;
let server: Receiver;
let owner: Party;
let asker: Party;
let deleted: Ids;
/** Of the asker's workspace, and one whose session is over. */
let people: Record<'admin' | 'developer' | 'viewer' | 'gone', SessionHeaders>;

beforeAll(async () => {
  server = await receiver();
  platform = await bootPlatform({
    env: {
      OPEN_REQUESTS_PER_MINUTE: '1000000',
      WEBHOOK_TESTS_PER_MINUTE: '1000000',
      // A person's session has a bucket of its own.
      RATE_LIMIT_BURST: '1000000',
      FAILED_AUTHENTICATIONS_PER_ADDRESS_AND_MINUTE: '1000000',
    },
  });
  const [first, second, third] = await Promise.all(
    ['0101', '0102', '0103'].map((digits) => newParty(platform, server, digits)),
  );
  if (!first || !second || !third) throw new Error('there are three');
  [owner, asker] = [first, second];
  // The asker's own things, of which some are gone, some never go: what is gone is a third one's id to it, deleted or not.
  deleted = await deletedOf(third);
  const join = (role: string, name = role) =>
    signInAs({ ...platform, ...asker }, role, `${name}@example.org`);
  people = {
    admin: await join('admin'),
    developer: await join('developer'),
    viewer: await join('viewer'),
    gone: await join('viewer', 'gone'),
  };
  await end(people.gone);
}, 90_000);

afterAll(async () => {
  await platform?.stop();
  await server.close();
}, 60_000);

const end = async (person: SessionHeaders): Promise<void> => {
  const response = await fetch(`${platform.url}/dashboard/api/session`, {
    method: 'DELETE',
    headers: person,
  });
  expect(response.status).toBe(204);
};

/** Its ids when all that can be deleted is. */
async function deletedOf({ api, ids, person }: Party): Promise<Ids> {
  const gone = [
    `/v1/knowledge-base/${ids.base}/documents/${ids.document}`,
    `/v1/knowledge-base/${ids.base}`,
    `/v1/tool/${ids.tool}`,
    `/v1/do-not-call/${encodeURIComponent(ids.doNotCall)}`,
  ];
  await api.data('POST', `/v1/campaigns/${ids.campaign}/cancel`);
  for (const path of [...gone, `/v1/phone-number/${ids.number}`, `/v1/assistant/${ids.assistant}`]) {
    const { status, body } = await api.request('DELETE', path);
    expect([path, status, body]).toEqual([path, 204, undefined]);
  }
  const email = 'removed@example.org';
  const path = '/dashboard/api/members';
  const added = await api.request('POST', path, { email, role: 'viewer' }, bySession(person));
  const member: string = added.body.data.id;
  expect((await api.request('DELETE', `${path}/${member}`, undefined, bySession(person))).status).toBe(204);
  await end(person);
  return { ...ids, member };
}

/** Good bodies of routes with an id: where one is bad, nobody looks whose the id is. */
const BODIES: Record<string, object> = {
  patchAssistant: { agent_name: 'A' },
  replaceAssistant: { agent_name: 'A', agent_type: 'Single Prompt', config: {} },
  changeMember: { role: 'viewer' },
  updateCustomTool: { description: 'd' },
  updateNativeTool: { description: 'd' },
  addDocument: { title: 't', text: 'Some words.' },
  searchKnowledgeBase: { query: 'words' },
  updatePhoneNumber: { max_cps: 1 },
  appendContacts: { contacts: [{ phone_number: '+12025550123' }] },
  resendCallWebhooks: { events: ['call_started'] },
};

const named = (endpoints: readonly AnyEndpoint[]): [string, AnyEndpoint][] =>
  endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]);

const TRACE = /"request_id":"[^"]*"/g;

/** What is sent to a route with an id of nobody else must not tell more than this. */
async function ask(endpoint: AnyEndpoint, ids: Ids, headers: Record<string, string>) {
  const beganMs = performance.now();
  const response = await fetch(platform.url + pathWith(endpoint, ids), {
    method: endpoint.method,
    headers: { ...(endpoint.body ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(endpoint.body ? { body: JSON.stringify(BODIES[endpoint.id] ?? {}) } : {}),
  });
  const text = (await response.text()).replace(TRACE, '');
  const ms = performance.now() - beganMs;
  // An answer may name what it was asked for, and only that.
  const said = Object.values(ids).reduce((left, id) => left.replaceAll(id, '<id>'), text);
  return { answer: [response.status, said], ms };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const wantsKey = publicEndpoints.filter(({ access }) => access === 'private' || access === 'widget');
const withParameters = publicEndpoints.filter(
  ({ path, access }) => path.includes(':') && (access === 'private' || access === 'session'),
);

describe.each(named(withParameters))('%s', (_name, endpoint) => {
  const asking = (ids: Ids) =>
    ask(
      endpoint,
      ids,
      endpoint.access === 'session' ? bySession(asker.person) : bearer(asker.workspace.private_key),
    );

  it('answers an id of another workspace, a deleted one and one of nobody alike: status and body', async () => {
    const { answer } = await asking(unknownIds());
    expect(answer[0]).toBe(404);
    expect((await asking(owner.ids)).answer).toEqual(answer);
    // What another one has deleted is nobody's.
    const kept = endpoint.path.includes('/call/') || endpoint.path.includes('/campaigns/');
    if (!kept) expect((await asking(deleted)).answer).toEqual(answer);
    const malformed = await asking(MALFORMED);
    expect(malformed.answer[0]).toBe(endpoint.badIdCode ? 404 : 422);
  });

  it('takes no longer or shorter for an id of another workspace', async () => {
    const isTold = async (): Promise<boolean> => {
      const differences: number[] = [];
      for (let i = 0; i < PAIRS; i += 1) {
        const foreignFirst = i % 2 === 0;
        const first = await asking(foreignFirst ? owner.ids : unknownIds());
        const second = await asking(foreignFirst ? unknownIds() : owner.ids);
        differences.push(foreignFirst ? first.ms - second.ms : second.ms - first.ms);
      }
      const typical = median(differences);
      const spread = median(differences.map((difference) => Math.abs(difference - typical)));
      return Math.abs(typical) > LEAST_TOLD_MS + (SIGMAS * spread) / Math.sqrt(PAIRS);
    };
    let times = 0;
    while (times < ROUNDS && (await isTold())) times += 1;
    expect(times).toBeLessThan(ROUNDS);
  });
});

/** What is told is told each time; a busy machine alone makes a difference now and then. */
const ROUNDS = 3;
const PAIRS = 12;
const LEAST_TOLD_MS = 2;
const SIGMAS = 6;

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

describe.each(named(wantsKey))('%s, by its key', (_name, endpoint) => {
  const asking = async (headers: Record<string, string>) => {
    const { answer } = await ask(endpoint, owner.ids, headers);
    return [answer[0], answer[1] === '' ? '' : JSON.parse(String(answer[1]))];
  };
  const refused = (status: number, code: string) =>
    endpoint.legacy ? [status, ''] : [status, { success: false, error: expect.objectContaining({ code }) }];

  it('401 without a key, with a bad one, and with one in another place', async () => {
    const none = endpoint.errorMessage401
      ? [401, { success: false, errorMessage: expect.any(String) }]
      : refused(401, 'UNAUTHORIZED');
    expect(await asking({})).toEqual(none);
    expect(await asking({ authorization: 'Basic eDp5' })).toEqual(none);
    expect(await asking({ 'x-api-key': owner.workspace.private_key })).toEqual(none);
    const key = owner.workspace.private_key;
    const bad = [
      'nonsense',
      key.slice(0, -1),
      `${key}0`,
      key.toUpperCase(),
      `${key.slice(0, 5)}${'0'.repeat(30)}${key.slice(-6)}`,
    ];
    for (const one of bad)
      expect([one, await asking(bearer(one))]).toEqual([one, refused(401, 'UNAUTHORIZED')]);
  });

  it('403 with a public key, unless it is the widget’s', async () => {
    const answer = await asking(bearer(owner.workspace.public_key));
    if (endpoint.access === 'private') expect(answer).toEqual(refused(403, 'FORBIDDEN'));
    else expect(answer[0]).not.toBe(403);
  });

  it('the internal token is nothing that a client could bring', async () => {
    const secret = platform.inside.gateway.env.INTERNAL_TOKEN_SECRET ?? '';
    const token = createInternalTokens(secret).mint(asOwner('key'));
    expect((await asking({ [INTERNAL_TOKEN_HEADER]: token }))[0]).toBe(401);
  });
});

const bySessionAlone = publicEndpoints.filter(({ access }) => access === 'session');

describe.each(named(bySessionAlone))('%s, by its session', (_name, endpoint) => {
  const asking = async (headers: Record<string, string>) => {
    const { answer } = await ask(endpoint, owner.ids, headers);
    return [answer[0], JSON.parse(String(answer[1])).error?.code];
  };

  it('401 without a session, with one of nobody, and with one that is over', async () => {
    expect(await asking({})).toEqual([401, 'UNAUTHORIZED']);
    const nobodys = `parley_session=${randomBytes(32).toString('base64url')}`;
    const csrf = asker.person['x-csrf-token'];
    expect(await asking({ cookie: nobodys, 'x-csrf-token': csrf })).toEqual([401, 'UNAUTHORIZED']);
    expect(await asking(people.gone)).toEqual([401, 'UNAUTHORIZED']);
  });

  it('403 with a key, private or public, also beside a session', async () => {
    for (const key of [asker.workspace.private_key, asker.workspace.public_key])
      for (const headers of [bearer(key), { ...asker.person, ...bearer(key) }])
        expect(await asking(headers)).toEqual([403, 'FORBIDDEN']);
  });

  it('403 for a change without its token, with that of another session, and from a page of another site', async () => {
    if (endpoint.method === 'GET') return;
    const { cookie } = asker.person;
    for (const headers of [
      { cookie },
      { cookie, 'x-csrf-token': people.admin['x-csrf-token'] },
      { ...asker.person, 'sec-fetch-site': 'cross-site' },
    ])
      expect(await asking(headers)).toEqual([403, 'FORBIDDEN']);
  });

  it('403 for who has too low a role', async () => {
    if (!endpoint.role) return;
    for (const role of ['admin', 'developer', 'viewer'] as const)
      if (!isAtLeast(role, endpoint.role)) expect(await asking(people[role])).toEqual([403, 'FORBIDDEN']);
  });
});

const asOwner = (kind: 'key' | 'service' | 'public_key') => ({
  workspaceId: kind === 'service' ? NO_WORKSPACE : owner.workspace.workspace_id,
  actor: { kind, id: randomUUID() },
  requestId: randomUUID(),
});

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Tokens that nobody may be believed for, by what is wrong with them. */
function badTokens(secret: string): [what: string, token: string | undefined][] {
  const claims = {
    workspace_id: owner.workspace.workspace_id,
    actor: { kind: 'service', id: 'telephony' },
    request_id: 'r',
    exp: Math.floor(Date.now() / 1000) + 60,
  };
  const HS256 = { alg: 'HS256', typ: 'JWT' };
  const signed = (header: object, payload: object, by = secret): string => {
    const text = `${encoded(header)}.${encoded(payload)}`;
    return `${text}.${createHmac('sha256', by).update(text).digest('base64url')}`;
  };
  const good = signed(HS256, claims);
  const [header = '', , signature = ''] = good.split('.');
  const other = encoded({ ...claims, workspace_id: asker.workspace.workspace_id });
  return [
    ['none', undefined],
    ['empty', ''],
    ['nonsense', 'nonsense'],
    ['other claims under the same signature', `${header}.${other}.${signature}`],
    ['no signature', `${header}.${encoded(claims)}.`],
    ['alg none', `${encoded({ alg: 'none', typ: 'JWT' })}.${encoded(claims)}.`],
    ['alg none, signed', signed({ alg: 'none', typ: 'JWT' }, claims)],
    ['another algorithm', signed({ alg: 'HS512', typ: 'JWT' }, claims)],
    ['another secret', signed(HS256, claims, `${secret}x`)],
    ['no secret', signed(HS256, claims, '')],
    ['expired', signed(HS256, { ...claims, exp: claims.exp - 180 })],
    ['twice', `${good},${good}`],
  ];
}

const ofKeepers = SECRET_KEEPERS.flatMap((keeper) => [countSecretsOf(keeper), reencryptSecretsOf(keeper)]);
const behindTheGateway = wantsKey.filter(({ service }) => service !== 'gateway');
const insideOnly = [...allEndpoints.filter(({ access }) => access === 'internal'), ...ofKeepers];

/** What is refused is refused before anything is read: ids and bodies are nobody's. */
async function askInside(endpoint: AnyEndpoint, token: string | undefined) {
  const path = endpoint.path.replace(/:\w+/g, randomUUID());
  const response = await fetch(platform.inside[endpoint.service].url + path, {
    method: endpoint.method,
    headers: {
      ...(endpoint.body ? { 'content-type': 'application/json' } : {}),
      ...(token === undefined ? {} : { [INTERNAL_TOKEN_HEADER]: token }),
    },
    ...(endpoint.body ? { body: '{}' } : {}),
  });
  return [response.status, await response.text()] as const;
}

describe.each(
  [...insideOnly, ...behindTheGateway].map((endpoint): [string, AnyEndpoint] => [
    `${endpoint.service}: ${endpoint.method} ${endpoint.path}`,
    endpoint,
  ]),
)('%s, inside the cluster', (_name, endpoint) => {
  it('401 without a token that the platform has minted', async () => {
    for (const [what, token] of badTokens(
      platform.inside[endpoint.service].env.INTERNAL_TOKEN_SECRET ?? '',
    )) {
      const [status, text] = await askInside(endpoint, token);
      expect([what, status]).toEqual([what, 401]);
      expect(text).not.toContain(owner.workspace.workspace_id);
    }
  });

  it('a key that the gateway vouches for opens nothing internal', async () => {
    if (endpoint.access !== 'internal') return;
    const secret = platform.inside[endpoint.service].env.INTERNAL_TOKEN_SECRET ?? '';
    for (const kind of ['key', 'public_key'] as const) {
      const [status] = await askInside(endpoint, createInternalTokens(secret).mint(asOwner(kind)));
      expect([kind, status]).toEqual([kind, 403]);
    }
  });
});

describe('the owner of all that was asked for', () => {
  it('has lost nothing by it', async () => {
    const { ids, api } = owner;
    for (const path of [
      `/v1/assistant/${ids.assistant}`,
      `/v1/tool/${ids.tool}`,
      `/v1/phone-number/${ids.number}`,
      `/v1/knowledge-base/${ids.base}/documents/${ids.document}`,
      `/v2/call/${ids.call}`,
    ])
      expect([path, (await api.request('GET', path)).status]).toEqual([path, 200]);
    expect(await api.data('GET', `/v1/campaigns/${ids.campaign}`)).toMatchObject({
      status: 'draft',
      total_contacts: 1,
    });
    expect(JSON.stringify(await api.data('GET', '/v1/do-not-call'))).toContain(ids.doNotCall);
    const own = async (what: string) =>
      (await api.request('GET', `/dashboard/api/${what}`, undefined, bySession(owner.person))).body.data;
    expect(await own('session')).toMatchObject({ session_id: ids.session });
    expect(await own('members')).toEqual([expect.objectContaining({ id: ids.member, role: 'owner' })]);
    expect(await own('keys')).toContainEqual(expect.objectContaining({ id: ids.key, is_active: true }));
  });
});

describe('the public door', () => {
  it.each(named(insideOnly))('does not know %s', async (_name, endpoint) => {
    const path = endpoint.path.replace(/:\w+/g, randomUUID());
    const secret = platform.inside.gateway.env.INTERNAL_TOKEN_SECRET ?? '';
    const response = await fetch(platform.url + path, {
      method: endpoint.method,
      headers: {
        ...bearer(owner.workspace.private_key),
        [INTERNAL_TOKEN_HEADER]: createInternalTokens(secret).mint(asOwner('service')),
      },
    });
    expect(response.status).toBe(404);
  });
});
