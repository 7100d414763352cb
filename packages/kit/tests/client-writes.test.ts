import { beforeEach, describe, expect, it } from '@jest/globals';
import { defineEndpoint } from '@parley/contracts';
import { eventually } from '@parley/testkit';
import request from 'supertest';
import { z } from 'zod';
import { transaction } from '../src/db/index.ts';
import { type App, mount, readLimitsOf } from '../src/http/index.ts';
import { newId } from '../src/ids/index.ts';
import { as, bootApp, createThing, listThings } from './http-harness.ts';

/** Three connections for each workspace's changes. */
const LIMITS = { DATABASE_POOL: 8, READ_TIMEOUT_MS: 1_000 };

const change = defineEndpoint({
  ...listThings,
  id: 'change',
  path: '/v1/change',
  readsOnly: false,
  body: z.object({ nested: z.boolean().default(false) }),
});

let app: App;
let open: (() => void)[] = [];
let begun: string[] = [];
/** A database whose transactions end when the test ends them. */
const database = {
  $transaction: async <R>(work: (tx: object) => Promise<R>): Promise<R> => {
    const result = await work({});
    await new Promise<void>((resolve) => open.push(resolve));
    return result;
  },
};

const visit = defineEndpoint({
  ...createThing,
  id: 'visit',
  path: '/widget/visit',
  access: 'open',
  callToken: true,
});

beforeEach(() => {
  [open, begun] = [[], []];
  ({ app } = bootApp({
    reads: readLimitsOf(LIMITS),
    workspaceOfCallToken: (token) => (token.startsWith('forged') ? undefined : token),
  }));
  mount(app, visit, async ({ req, body: { name } }) => {
    await transaction(database, async () => void begun.push(`visitor of ${req.get('x-access-token')}`));
    return { id: newId(), name };
  });
  mount(app, change, async ({ auth, body }) => {
    await transaction(database, async () => {
      begun.push(auth.workspaceId);
      if (body.nested) await transaction(database, async () => void begun.push('nested'));
    });
    return { items: [], total: 0, nextCursor: null };
  });
});

const ask = (workspace: string, kind: 'key' | 'service' = 'key', nested = false) =>
  request(app.express)
    .post('/v1/change')
    .set(as(kind, workspace))
    .send({ nested })
    .then((answer) => answer);
const endAll = (): void => {
  for (const end of open.splice(0)) end();
};
const ofWorkspace = (id: string): number => begun.filter((one) => one === id).length;

describe('changes of clients [trust.1]', () => {
  it('of one workspace use at most a third of the connections; more are queued, while other workspaces are served', async () => {
    const [greedy, other] = [newId(), newId()];
    const many = Promise.all(Array.from({ length: 6 }, () => ask(greedy)));
    await eventually(() => expect(ofWorkspace(greedy)).toBe(3));
    const another = ask(other);
    await eventually(() => expect(ofWorkspace(other)).toBe(1));
    expect(ofWorkspace(greedy)).toBe(3);
    endAll();
    await eventually(() => expect(ofWorkspace(greedy)).toBe(6));
    endAll();
    expect((await many).map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect((await another).status).toBe(200);
  });

  it('of visitors of web calls are in the share of public keys of the workspace of their token [trust.8]', async () => {
    const [greedy, other] = [newId(), newId()];
    const say = (token: string) =>
      request(app.express)
        .post('/widget/visit')
        .set('x-access-token', token)
        .send({ name: 'x' })
        .then(({ status }) => status);
    const visitors = Promise.all(Array.from({ length: 6 }, () => say(greedy)));
    await eventually(() => expect(ofWorkspace(`visitor of ${greedy}`)).toBe(3));
    const [owner, visitor, stranger] = [ask(greedy), say(other), say('forged')];
    await eventually(() => expect(ofWorkspace(greedy)).toBe(1));
    for (const token of [other, 'forged'])
      await eventually(() => expect(ofWorkspace(`visitor of ${token}`)).toBe(1));
    expect(ofWorkspace(`visitor of ${greedy}`)).toBe(3);
    endAll();
    await eventually(() => expect(ofWorkspace(`visitor of ${greedy}`)).toBe(6));
    endAll();
    expect(await visitors).toEqual(Array(6).fill(201));
    expect([(await owner).status, await visitor, await stranger]).toEqual([200, 201, 201]);
  });

  it('that are queued too long are 429 with Retry-After and change nothing', async () => {
    const greedy = newId();
    const held = Array.from({ length: 3 }, () => ask(greedy));
    await eventually(() => expect(ofWorkspace(greedy)).toBe(3));
    const answer = await ask(greedy);
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '5']);
    endAll();
    await Promise.all(held);
    expect(ofWorkspace(greedy)).toBe(3);
  });

  it('do not include those of services; a nested transaction uses the slot of the outer one', async () => {
    const workspace = newId();
    const services = Array.from({ length: 6 }, () => ask(workspace, 'service'));
    await eventually(() => expect(ofWorkspace(workspace)).toBe(6));
    endAll();
    await Promise.all(services);
    const nested = Array.from({ length: 3 }, () => ask(workspace, 'key', true));
    await eventually(() => expect(ofWorkspace('nested')).toBe(3));
    endAll();
    await eventually(() => expect(open).toHaveLength(3));
    endAll();
    await Promise.all(nested);
  });
});
