import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { realNow } from '@parley/kit/time';
import { TOTP } from 'otpauth';
import request from 'supertest';
import { bootGateway, bootReplica, fakeOwner, type Gateway, type Replica } from './harness.ts';
import { createKey, join, PASSWORD } from './people.ts';

// `KEY_PEPPER=NEW,OLD`: keys stay valid while the pepper is replaced [access.20].

const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)];
const SESSION = '/dashboard/api/session';
const FACTOR = '/dashboard/api/second-factor';

let owner: Awaited<ReturnType<typeof fakeOwner>>;
let before: Gateway;
let during: Replica;
let after: Replica;

beforeAll(async () => {
  owner = await fakeOwner((_req, res) => res.end('{}'));
  const settings = { ASSISTANTS_URL: owner.url };
  before = await bootGateway({ ...settings, KEY_PEPPER: OLD });
  during = await bootReplica(before.database, { ...settings, KEY_PEPPER: `${NEW},${OLD}` });
  after = await bootReplica(before.database, { ...settings, KEY_PEPPER: NEW });
});

afterAll(async () => {
  await during.stop();
  await after.stop();
  await before.stop();
  await owner.close();
});

const newKey = async (): Promise<string> => {
  const workspaceId = before.workspace.workspace_id;
  const input = { workspaceId, type: 'private', name: 'x', expiresAt: null } as const;
  return (await createKey(before.admin, input)).key;
};
const use = async ({ url }: Replica, key: string): Promise<number> =>
  (await request(url).get('/v1/voice').set('authorization', `Bearer ${key}`)).status;

describe('while the pepper is replaced [access.20]', () => {
  it('a key of the old one is accepted and moved to the new one by its use', async () => {
    const [used, unused] = [await newKey(), await newKey()];
    expect([await use(before, used), await use(after, used)]).toEqual([200, 401]);
    expect([await use(during, used), await use(during, used)]).toEqual([200, 200]);
    // Another replica, because `after` has cached for a moment that the key is unknown.
    const settings = { ASSISTANTS_URL: owner.url, KEY_PEPPER: NEW };
    const later = await bootReplica(before.database, settings);
    const statuses = [await use(later, used), await use(later, unused)];
    await later.stop();
    expect(statuses).toEqual([200, 401]);
  });

  it('a key of the new one is accepted by processes that have it behind the old one', async () => {
    const { admin } = during;
    const workspaceId = before.workspace.workspace_id;
    const { key } = await createKey(admin, { workspaceId, type: 'private', name: 'x', expiresAt: null });
    const settings = { ASSISTANTS_URL: owner.url, KEY_PEPPER: `${OLD},${NEW}` };
    const prepared = await bootReplica(before.database, settings);
    const status = await use(prepared, key);
    await prepared.stop();
    expect([status, await use(during, key)]).toEqual([200, 200]);
  });

  it('recovery codes of the old one are accepted, each once', async () => {
    const person = await join(before, before.workspace.workspace_id, 'owner');
    const { secret } = (await person.ask('POST', FACTOR, { password: PASSWORD })).body.data;
    const code = new TOTP({ secret }).generate({ timestamp: realNow().getTime() });
    const enabled = await person.ask('POST', `${FACTOR}/confirm`, { code });
    const [recovery] = enabled.body.data.recovery_codes;
    const signIn = async (): Promise<number> => {
      const { email } = person;
      const challenged = await request(during.url).post(SESSION).send({ email, password: PASSWORD });
      const cookie = String(challenged.headers['set-cookie']).split(';')[0] ?? '';
      const answer = await request(during.url)
        .post(`${SESSION}/code`)
        .set({ cookie })
        .send({ code: recovery });
      return answer.status;
    };
    expect([await signIn(), await signIn()]).toEqual([201, 401]);
  });
});
