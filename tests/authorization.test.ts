import { createHmac, createPublicKey, randomBytes, randomUUID, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AnyEndpoint,
  ATTENTION_SERVICES,
  advanceRemovalOf,
  agentScopeOf,
  allEndpoints,
  applyRetentionOf,
  attentionOf,
  countSecretsOf,
  discardRefusedMessageOf,
  isAtLeast,
  listRefusedMessagesOf,
  PUBLISHERS,
  publicEndpoints,
  REMOVERS,
  RETAINERS,
  readMessageContentOf,
  readRefusedMessageOf,
  reencryptSecretsOf,
  requeueRefusedMessageOf,
  SERVICES,
  SERVICES_WITH_SECRETS,
  type ServiceName,
  STORING_SERVICES,
  storedBytesOf,
} from '@parley/contracts';
import { signingKeys, verifyKeys } from '@parley/kit/config';
import {
  createInternalTokens,
  INTERNAL_TOKEN_HEADER,
  type InternalTokens,
  NO_WORKSPACE,
} from '@parley/kit/http';
import { signingKeyOf } from '@parley/kit/secrets';
import { everyCase, type Receiver, receiver } from '@parley/testkit';
import { bootPlatform, createApi, type Platform } from '@parley/testkit/stage';
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

// Every route of the contracts, called with every credential that must not be accepted. New routes are covered automatically.

let platform: Platform;
let server: Receiver;
let owner: Party;
let asker: Party;
let deleted: Ids;
/** Of the asker's workspace, and one whose session is over. */
let people: Record<'admin' | 'developer' | 'viewer' | 'gone', SessionHeaders>;

beforeAll(async () => {
  server = await receiver();
  platform = await bootPlatform();
  const [first, second, third] = await Promise.all(
    ['0101', '0102', '0103'].map((digits) => newParty(platform, server, digits)),
  );
  if (!first || !second || !third) throw new Error('there are three');
  [owner, asker] = [first, second];
  // The caller's own resources, some of them deleted: to another workspace a deleted id is like any other foreign id.
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
});

afterAll(async () => {
  await platform?.stop();
  await server.close();
});

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

/** Valid bodies of routes with an id: an invalid one would be rejected before the id is checked. */
const BODIES: Record<string, object> = {
  patchAssistant: { agent_name: 'A' },
  replaceAssistant: { agent_name: 'A', agent_type: 'Single Prompt', config: {} },
  changeMember: { role: 'viewer' },
  changeKey: { name: 'K' },
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

/** Status and body without ids, which must be the same for a foreign and for an unknown id; and the time. */
async function ask(endpoint: AnyEndpoint, ids: Ids, headers: Record<string, string>) {
  const beganMs = performance.now();
  const response = await fetch(platform.url + pathWith(endpoint, ids), {
    method: endpoint.method,
    headers: { ...(endpoint.body ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(endpoint.body ? { body: JSON.stringify(BODIES[endpoint.id] ?? {}) } : {}),
  });
  const text = (await response.text()).replace(TRACE, '');
  const ms = performance.now() - beganMs;
  // A response may contain the requested ids, and no others.
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

  it('answers ids of another workspace, deleted and unknown ones alike: status and body [general.1]', async () => {
    const { answer } = await asking(unknownIds());
    expect(answer[0]).toBe(404);
    expect((await asking(owner.ids)).answer).toEqual(answer);
    // Deleted resources of another workspace.
    const kept = endpoint.path.includes('/call/') || endpoint.path.includes('/campaigns/');
    if (!kept) expect((await asking(deleted)).answer).toEqual(answer);
    const malformed = await asking(MALFORMED);
    expect(malformed.answer[0]).toBe(endpoint.badIdCode ? 404 : 422);
  });

  it('takes the same time for an id of another workspace', async () => {
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
      return Math.abs(typical) > MIN_DIFFERENCE_MS + (SIGMAS * spread) / Math.sqrt(PAIRS);
    };
    let times = 0;
    while (times < ROUNDS && (await isTold())) times += 1;
    expect(times).toBeLessThan(ROUNDS);
  });
});

/** A leak occurs each time, whereas differences by a busy machine are occasional. */
const ROUNDS = 3;
/** With 8 pairs, a difference must be about a fifth larger to be found. */
const PAIRS = everyCase ? 12 : 8;
const MIN_DIFFERENCE_MS = 2;
const SIGMAS = 6;

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

describe.each(named(wantsKey))('%s, by key', (_name, endpoint) => {
  const asking = async (headers: Record<string, string>) => {
    const { answer } = await ask(endpoint, owner.ids, headers);
    return [answer[0], answer[1] === '' ? '' : JSON.parse(String(answer[1]))];
  };
  const refused = (status: number, code: string) =>
    endpoint.legacy ? [status, ''] : [status, { success: false, error: expect.objectContaining({ code }) }];

  it('401 without a key, with an invalid one, and with one in another place', async () => {
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
    const answers = await Promise.all(bad.map((one) => asking(bearer(one))));
    expect(answers).toEqual(bad.map(() => refused(401, 'UNAUTHORIZED')));
  });

  it('403 with a public key, except for the widget', async () => {
    const answer = await asking(bearer(owner.workspace.public_key));
    if (endpoint.access === 'private') expect(answer).toEqual(refused(403, 'FORBIDDEN'));
    else expect(answer[0]).not.toBe(403);
  });

  it('clients cannot use an internal token', async () => {
    const token = tokensOf('gateway').mint(endpoint.service, asOwner('key'));
    expect((await asking({ [INTERNAL_TOKEN_HEADER]: token }))[0]).toBe(401);
  });
});

/** Private keys of the owner's workspace: one for another assistant than the one that has all, one that reads. */
const limitedKeys: Partial<Record<'another' | 'reads', string>> = {};
/** From elsewhere, by the service of the endpoint: a key that is refused its network has 60 requests, and one a second. */
const keysFromElsewhere = new Map<ServiceName, string>();
let another = '';

describe('[trust.9] limited private keys', () => {
  beforeAll(async () => {
    const { workspace_id } = owner.workspace;
    another = (await owner.api.data('POST', '/v1/assistant', { agent_name: 'Another' })).id;
    const make = async (...settings: string[]) => {
      const command = ['key', 'create', '--workspace', workspace_id, '--type', 'private', ...settings];
      return ((await platform.parley(...command)) as { key: string }).key;
    };
    limitedKeys.another = await make('--agent-ids', another);
    limitedKeys.reads = await make('--read-only');
    for (const service of SERVICES)
      keysFromElsewhere.set(service, await make('--allowed-networks', '203.0.113.0/24,2001:db8::/32'));
  });
  const statusOf = async (endpoint: AnyEndpoint, key: string | undefined, ids = owner.ids) =>
    (await ask(endpoint, ids, bearer(key ?? ''))).answer;

  it.each(named(wantsKey))('%s, with a limited key', async (_name, endpoint) => {
    const scope = agentScopeOf(endpoint);
    const answer = await statusOf(endpoint, limitedKeys.another);
    if (scope === 'refused') expect(answer[0]).toBe(403);
    else if (scope === 'filtered' || scope === 'free') expect(answer[0]).not.toBe(401);
    else
      expect([answer[0], answer]).toEqual([404, await statusOf(endpoint, limitedKeys.another, unknownIds())]);
    const isRead = endpoint.method === 'GET' || endpoint.readsOnly === true;
    const read = await statusOf(endpoint, limitedKeys.reads, isRead ? owner.ids : unknownIds());
    if (isRead) expect(read[0]).not.toBe(403);
    else expect(read[0]).toBe(403);
    expect((await statusOf(endpoint, keysFromElsewhere.get(endpoint.service)))[0]).toBe(403);
  });

  it('a key with agent_ids lists and reveals nothing of other assistants', async () => {
    const api = createApi(platform.url, limitedKeys.another ?? '');
    const { ids } = owner;
    const answers = [
      await api.request('POST', '/v1/assistant/list', {}),
      await api.request('POST', '/v1/assistant/list', { search: 'a' }),
      await api.request('POST', '/v2/call/list', {}),
      await api.request('POST', '/v2/call/list', { agent_ids: [ids.assistant] }),
      await api.request('GET', '/calls'),
      await api.request('GET', '/v1/campaigns'),
      await api.request('GET', '/v2/call/live'),
      await api.request('GET', '/v1/analytics/summary?group_by=assistant'),
      await api.request('GET', '/v1/analytics/calls?group_by=agent'),
      await api.request('GET', `/v1/campaigns?agent_id=${ids.assistant}`),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toMatch(new RegExp([ids.assistant, ids.call, ids.campaign].join('|')));
    }
    expect(answers[0]?.body).toMatchObject({ pagination: { total: 1 }, data: [{ id: another }] });
    expect((await api.request('GET', `/calls?callId=${ids.call}`)).status).toBe(404);
    const agent_id = ids.assistant;
    const custom = {
      ...{ tool_name: 'x', description: 'x', endpoint_url: 'https://example.com/x', http_method: 'GET' },
      timeout_seconds: 5,
    };
    const number = (await owner.api.data('GET', `/v1/phone-number/${ids.number}`)).phone_number;
    const to = { to_number: '+12025550199', from_number: number };
    const campaign = {
      campaign_name: 'C',
      phone_number: number,
      contacts: [{ phone_number: '+12025550199' }],
    };
    // [trust.9]: as for an assistant that doesn't exist.
    for (const [path, body] of [
      ['/v1/tool/list', {}],
      ['/v1/tool/custom', custom],
      ['/v1/tool/native', { tool_name: 'end_call' }],
      ['/v1/campaigns', campaign],
      ['/v2/call', to],
      ['/v2/call/web', {}],
      ['/widget/call', {}],
    ] as const) {
      const answer = await api.request('POST', path, { ...body, agent_id });
      expect([path, answer.status]).toEqual([path, 404]);
      for (const client of [api, owner.api]) {
        const { status, body: unknown } = await client.request('POST', path, {
          ...body,
          agent_id: randomUUID(),
        });
        expect([path, status, unknown.error.code, unknown.error.message]).toEqual([
          ...[path, 404, answer.body.error.code, answer.body.error.message],
        ]);
      }
    }
    // The number's outbound assistant is another one.
    expect((await api.request('POST', '/v2/call', to)).status).toBe(422);
  });

  it('a key with agent_ids may do anything with its own assistant', async () => {
    const api = createApi(platform.url, limitedKeys.another ?? '');
    const call = await api.data('POST', '/v2/call/web', { agent_id: another });
    expect((await api.request('GET', `/v2/call/${call.id}/webhooks`)).status).toBe(200);
    expect((await api.request('POST', '/v2/call/list', {})).body.data).toMatchObject([{ id: call.id }]);
    const tool = await api.data('POST', '/v1/tool/native', { agent_id: another, tool_name: 'send_sms' });
    expect((await api.request('DELETE', `/v1/tool/${tool.id}`)).status).toBe(204);
    expect((await api.data('PATCH', `/v1/assistant/${another}`, { agent_name: 'Mine' })).agent_name).toBe(
      'Mine',
    );
    await api.data('POST', `/v2/call/${call.id}/stop`);
  });
});

const bySessionAlone = publicEndpoints.filter(({ access }) => access === 'session');

describe.each(named(bySessionAlone))('%s, by session', (_name, endpoint) => {
  const asking = async (headers: Record<string, string>) => {
    const { answer } = await ask(endpoint, owner.ids, headers);
    return [answer[0], JSON.parse(String(answer[1])).error?.code];
  };

  it('401 without a session, with an unknown one, and with an ended one', async () => {
    expect(await asking({})).toEqual([401, 'UNAUTHORIZED']);
    const nobodys = `parley_session=${randomBytes(32).toString('base64url')}`;
    const csrf = asker.person['x-csrf-token'];
    expect(await asking({ cookie: nobodys, 'x-csrf-token': csrf })).toEqual([401, 'UNAUTHORIZED']);
    expect(await asking(people.gone)).toEqual([401, 'UNAUTHORIZED']);
  });

  it('403 with a key, private or public, even together with a session', async () => {
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

  it('403 for a role that is too low', async () => {
    if (!endpoint.role) return;
    for (const role of ['admin', 'developer', 'viewer'] as const)
      if (!isAtLeast(role, endpoint.role)) expect(await asking(people[role])).toEqual([403, 'FORBIDDEN']);
  });
});

const asOwner = (kind: 'key' | 'service' | 'public_key') => ({
  workspaceId: kind === 'service' ? NO_WORKSPACE : owner.workspace.workspace_id,
  actor: { kind, id: kind === 'service' ? 'telephony' : randomUUID() },
});

const keysOf = (service: ServiceName) => {
  const { INTERNAL_SIGNING_KEYS, INTERNAL_VERIFY_KEYS } = platform.inside[service].env;
  return {
    signingKeys: signingKeys.parse(INTERNAL_SIGNING_KEYS),
    verifyKeys: verifyKeys.parse(INTERNAL_VERIFY_KEYS),
  };
};
/** What a service of the platform signs with its own key. */
const tokensOf = (service: ServiceName) => {
  const tokens = tokensByService.get(service) ?? createInternalTokens({ service, ...keysOf(service) });
  tokensByService.set(service, tokens);
  return tokens;
};
const tokensByService = new Map<ServiceName, InternalTokens>();

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Tokens that `audience` must reject, by their defect. */
function badTokens(audience: ServiceName): [what: string, token: string | undefined][] {
  const [seed = Buffer.alloc(32)] = keysOf('gateway').signingKeys;
  const good = tokensOf('gateway').mint(audience, asOwner('service'));
  const [head = '', body = '', signature = ''] = good.split('.');
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  const signed = (header: string, payload: object, key = seed): string => {
    const text = `${header}.${encoded(payload)}`;
    return `${text}.${sign(null, Buffer.from(text), signingKeyOf(key)).toString('base64url')}`;
  };
  const byHmac = (key: Buffer | string): string => {
    const text = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${body}`;
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  };
  const pem = createPublicKey(signingKeyOf(seed)).export({ format: 'pem', type: 'spki' });
  const others = SERVICES.filter((name) => name !== audience);
  return [
    ['none', undefined],
    ['empty', ''],
    ['nonsense', 'nonsense'],
    [
      'other claims under the same signature',
      `${head}.${encoded({ ...claims, iat: claims.iat - 1 })}.${signature}`,
    ],
    ['no signature', `${head}.${body}.`],
    ['alg none', `${encoded({ alg: 'none', typ: 'JWT' })}.${body}.`],
    ['alg none, signed', signed(encoded({ alg: 'none', typ: 'JWT' }), claims)],
    ['another algorithm, the public key as its secret', byHmac(String(pem))],
    ['an unknown key', signed(encoded({ alg: 'EdDSA', typ: 'JWT', kid: 'x' }), claims, randomBytes(32))],
    ['a known key of which another is named', signed(head, claims, randomBytes(32))],
    ['expired', signed(head, { ...claims, iat: claims.iat - 180, exp: claims.exp - 180 })],
    ['valid for a year', signed(head, { ...claims, exp: claims.exp + 31_536_000 })],
    ['without an audience', signed(head, { ...claims, aud: '' })],
    ...others.map((other): [string, string] => [
      `captured on its way to ${other}`,
      tokensOf('gateway').mint(other, asOwner('service')),
    ]),
    ['twice', `${good},${good}`],
  ];
}

const ofKeepers = [
  ...SERVICES_WITH_SECRETS.flatMap((keeper) => [countSecretsOf(keeper), reencryptSecretsOf(keeper)]),
  ...STORING_SERVICES.map(storedBytesOf),
];
const ofRemovers = [
  ...REMOVERS.flatMap((remover) => (remover === 'gateway' ? [] : [advanceRemovalOf(remover)])),
  ...RETAINERS.map(applyRetentionOf),
  ...ATTENTION_SERVICES.map(attentionOf),
];
const ofPublishers = PUBLISHERS.flatMap((publisher) => [
  readMessageContentOf(publisher),
  listRefusedMessagesOf(publisher),
  readRefusedMessageOf(publisher),
  requeueRefusedMessageOf(publisher),
  discardRefusedMessageOf(publisher),
]);
const behindTheGateway = wantsKey.filter(({ service }) => service !== 'gateway');
const insideOnly = [
  ...allEndpoints.filter(({ access }) => access === 'internal'),
  ...ofKeepers,
  ...ofRemovers,
  ...ofPublishers,
];

/** Requests are rejected before ids and bodies are read, so these are arbitrary. */
async function requestInside(endpoint: AnyEndpoint, token: string | undefined) {
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

/** Every endpoint gets a request without a token and with a third of the bad ones, every service each of these; all in a full run. */
function tokensFor(endpoint: AnyEndpoint, index: number): ReturnType<typeof badTokens> {
  return badTokens(endpoint.service).filter((_, kind) => everyCase || kind === 0 || (kind + index) % 3 === 0);
}

const inside = [...insideOnly, ...behindTheGateway];

it.each(SERVICES.map((service) => [service]))('%s gets every bad token', (service) => {
  const kinds = new Set(
    inside.flatMap((endpoint, index) =>
      endpoint.service === service ? tokensFor(endpoint, index).map(([what]) => what) : [],
    ),
  );
  expect([...kinds].sort()).toEqual(
    badTokens(service)
      .map(([what]) => what)
      .sort(),
  );
});

describe.each(
  inside.map((endpoint, index): [string, AnyEndpoint, number] => [
    `${endpoint.service}: ${endpoint.method} ${endpoint.path}`,
    endpoint,
    index,
  ]),
)('%s, inside the cluster', (_name, endpoint, index) => {
  it('401 without a token of the platform', async () => {
    const answers = tokensFor(endpoint, index).map(async ([what, token]) => {
      const [status, text] = await requestInside(endpoint, token);
      expect([what, status]).toEqual([what, 401]);
      expect(text).not.toContain(owner.workspace.workspace_id);
    });
    await Promise.all(answers);
  });

  it('a token that the gateway signs for a key is not accepted by internal endpoints', async () => {
    if (endpoint.access !== 'internal') return;
    for (const kind of ['key', 'public_key'] as const) {
      const token = tokensOf('gateway').mint(endpoint.service, asOwner(kind));
      const [status] = await requestInside(endpoint, token);
      expect([kind, status]).toEqual([kind, 403]);
    }
  });
});

describe('the owner of all these resources', () => {
  it('has lost nothing', async () => {
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

describe('[trust.6] how much a workspace stores', () => {
  it.each(STORING_SERVICES.map((service) => [service]))('%s tells it for each', async (service) => {
    const token = tokensOf('gateway').mint(service, asOwner('service'));
    const response = await fetch(`${platform.inside[service].url}/internal/stored-bytes`, {
      headers: { [INTERNAL_TOKEN_HEADER]: token },
    });
    const { data } = (await response.json()) as { data: { total: number; workspaces: object[] } };
    expect([response.status, data.total]).toEqual([200, expect.any(Number)]);
  });
});

describe('the public port', () => {
  it.each(named(insideOnly))('does not serve %s', async (_name, endpoint) => {
    const path = endpoint.path.replace(/:\w+/g, randomUUID());
    const response = await fetch(platform.url + path, {
      method: endpoint.method,
      headers: {
        ...bearer(owner.workspace.private_key),
        [INTERNAL_TOKEN_HEADER]: tokensOf('telephony').mint('gateway', asOwner('service')),
      },
    });
    expect(response.status).toBe(404);
  });
});
