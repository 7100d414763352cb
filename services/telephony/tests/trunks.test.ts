import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { createHostGuard } from '@parley/kit/outbound';
import { CarrierDouble, kamailio, startEdge, WorkerDouble } from '@parley/sip-edge/testing';
import { eventually, freePort } from '@parley/testkit';
import { createFindRoute } from '../src/carriers/sip/signalling/find-route.ts';
import { createPingTrunk, type PingTrunk } from '../src/carriers/sip/signalling/ping-trunk.ts';
import { createResolveTrunk } from '../src/carriers/sip/signalling/resolve-trunk.ts';
import { createSignalling } from '../src/carriers/sip/signalling/signalling.ts';
import { createNumberStore } from '../src/numbers/numbers.store.ts';
import { fillInTerminations } from '../src/numbers/trunks.ts';
import { type CheckTrunksDeps, createTrunkChecks } from '../src/trunks/check-trunks.ts';
import { createPublishSources, edgeAddresses } from '../src/trunks/publish-sources.ts';
import { createTerminations } from '../src/trunks/terminations.store.ts';
import { anyNumber, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';

const ALLOWED = { allowCidrs: ['127.0.0.0/8'] };
const log = createLogger({ service: 'test', level: 'silent' });
const workspace = newWorkspace();

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' });
});
afterAll(() => harness.close());
afterEach(async () => {
  await harness.sql.$executeRaw`DELETE FROM phone_numbers`;
  await harness.sql.$executeRaw`DELETE FROM terminations`;
});

const connect = async (termination_uri: string, more: object = {}, of = workspace): Promise<Json> => {
  const body = { phone_number: anyNumber(), termination_uri, ...more };
  const answer = await harness.ask(of, 'POST', '/v1/phone-number/sip', { body });
  expect(answer.status).toBe(201);
  return answer.body.data;
};
const trunkOf = async (id: string, of = workspace): Promise<Json> =>
  (await harness.ask(of, 'GET', `/v1/phone-number/${id}`)).body.data.trunk;
const makeDue = () =>
  harness.sql.$executeRaw`UPDATE terminations SET due_at = clock_timestamp() - interval '1 second'`;
const circuits = async () =>
  (
    await harness.sql.$queryRaw<
      { n: number }[]
    >`SELECT count(*)::int AS n FROM number_circuits WHERE opened_at IS NOT NULL`
  )[0]?.n;

const deps = (ping: PingTrunk): CheckTrunksDeps => ({
  transact: (work) => harness.context.outbox.transaction(work),
  terminations: createTerminations(harness.context.prisma),
  secrets: harness.context.secrets,
  resolveTrunk: createResolveTrunk({ guard: createHostGuard(ALLOWED) }),
  ping,
  clock: harness.context.clock,
  firstPauseMs: 15_000,
  changed: () => {},
  log,
});
const answering = (status: number | null, text = ''): PingTrunk & { count: number } =>
  Object.assign(
    async () => {
      ping.count += 1;
      return { isReachable: status !== null, status, text, durationMs: 1 };
    },
    { count: 0 },
  ) as never;
/** All checks that are due. */
const checkTrunks = async (on: CheckTrunksDeps): Promise<void> => {
  const checks = createTrunkChecks(on, () => {});
  await checks.fill(new AbortController().signal);
  await checks.drained();
};
let ping: PingTrunk & { count: number };
const check = async (answer: [number | null, string?]) => {
  ping = answering(...answer);
  await makeDue();
  await checkTrunks(deps(ping));
  return ping.count;
};

describe('the trunk of a SIP number', () => {
  it('is pending until it is checked, then shows whether it is registered and up [sip.35] [sip.36]', async () => {
    const { id, trunk } = await connect('127.0.0.1:5999');
    expect(trunk).toEqual({
      registration: 'pending',
      health: 'unknown',
      reason: null,
      since: null,
      checked_at: null,
    });
    await check([200, 'OK']);
    expect(await trunkOf(id)).toEqual({
      registration: 'registered',
      health: 'up',
      reason: null,
      since: expect.any(String),
      checked_at: expect.any(String),
    });
    const [item] = (await harness.ask(workspace, 'POST', '/v1/phone-number/list', { body: {} })).body.data;
    expect(item.trunk.health).toBe('up');
  });

  it('that is down holds the campaigns of all its numbers, and releases them when it is back [sip.35]', async () => {
    const { id } = await connect('127.0.0.1:5999');
    await connect('127.0.0.1:5999');
    await check([200, 'OK']);
    await check([null, 'The trunk did not respond in time']);
    expect([(await trunkOf(id)).health, await circuits()]).toEqual(['up', 0]);
    await check([null, 'connect ECONNREFUSED 127.0.0.1:5999']);
    expect(await trunkOf(id)).toMatchObject({ health: 'down', reason: 'The trunk could not be reached' });
    expect(await circuits()).toBe(2);
    await check([200, 'OK']);
    expect([(await trunkOf(id)).health, await circuits()]).toEqual(['up', 0]);
  });

  it('is checked once for all numbers with the same host, port and transport, by one of the workers [sip.35]', async () => {
    await connect('127.0.0.1:5999');
    await connect('127.0.0.1:5999');
    await connect('127.0.0.1:5999', { transport: 'tcp' });
    ping = answering(200, 'OK');
    await Promise.all([checkTrunks(deps(ping)), checkTrunks(deps(ping)), checkTrunks(deps(ping))]);
    expect(ping.count).toBe(2);
  });

  it('is not checked before it is due, by the clock of the database alone [sip.35]', async () => {
    await connect('127.0.0.1:5999');
    ping = answering(200, 'OK');
    for (let n = 0; n < 3; n += 1) await checkTrunks(deps(ping));
    expect(ping.count).toBe(1);
    await makeDue();
    for (let n = 0; n < 3; n += 1) await checkTrunks(deps(ping));
    expect(ping.count).toBe(2);
  });

  it('is asked with the credentials of its own numbers, whose result no others share [sip.35]', async () => {
    const other = newWorkspace();
    const as = (name: string) => ({ sip_trunk_auth_username: name, sip_trunk_auth_password: 'wonderland' });
    const one = await connect('127.0.0.1:5999', as('alice'));
    const two = await connect('127.0.0.1:5999', as('bob'));
    const three = await connect('127.0.0.1:5999', as('alice'), other);
    const asked: string[] = [];
    const byName: PingTrunk = async ({ credentials }) => {
      asked.push(credentials?.username ?? '');
      const text = `Not for ${credentials?.username}`;
      return { isReachable: true, status: 403, text, durationMs: 1 };
    };
    await checkTrunks(deps(byName));
    expect(asked.sort()).toEqual(['alice', 'alice', 'bob']);
    expect([(await trunkOf(one.id)).reason, (await trunkOf(two.id)).reason]).toEqual([
      '403 Not for alice',
      '403 Not for bob',
    ]);
    await harness.sql.$executeRaw`DELETE FROM phone_numbers WHERE id <> ${three.id}::uuid`;
    const answers: PingTrunk = async () => ({ isReachable: true, status: 200, text: '', durationMs: 1 });
    await makeDue();
    await checkTrunks(deps(answers));
    expect(await trunkOf(three.id, other)).toMatchObject({ health: 'up', reason: null });
  });

  it('whose host does not lead to a public address any more is not registered, and asked nothing [sip.36]', async () => {
    const { id } = await connect('carrier.localhost:5999');
    ping = answering(200, 'OK');
    await checkTrunks({
      ...deps(ping),
      resolveTrunk: createResolveTrunk({ guard: createHostGuard({ allowCidrs: [] }) }),
    });
    expect(ping.count).toBe(0);
    expect(await trunkOf(id)).toBeNull();
    const other = await connect('127.0.0.1:5998');
    await checkTrunks({
      ...deps(ping),
      resolveTrunk: createResolveTrunk({ guard: createHostGuard({ allowCidrs: [] }) }),
    });
    expect(ping.count).toBe(0);
    expect(await trunkOf(other.id)).toMatchObject({
      registration: 'failed',
      health: 'down',
      reason: 'The host of the trunk does not resolve to a public address',
    });
  });

  it('is forgotten with its last number [sip.36]', async () => {
    const one = await connect('127.0.0.1:5999');
    const two = await connect('127.0.0.1:5999');
    const count = async () =>
      (await harness.sql.$queryRaw<{ n: number }[]>`SELECT count(*)::int AS n FROM terminations`)[0]?.n;
    for (const [{ id }, left] of [
      [one, 1],
      [two, 0],
    ] as const) {
      expect((await harness.ask(workspace, 'DELETE', `/v1/phone-number/${id}`)).status).toBe(204);
      expect(await count()).toBe(left);
    }
  });

  it('that an earlier version shared between workspaces is of one workspace', async () => {
    const other = newWorkspace();
    const [{ id }, theirs] = [await connect('127.0.0.1:5999'), await connect('127.0.0.1:5999', {}, other)];
    const shared = randomUUID();
    await harness.sql
      .$executeRaw`INSERT INTO terminations (id, reason) VALUES (${shared}::uuid, 'of others')`;
    await harness.sql.$executeRaw`UPDATE phone_numbers SET termination = ${shared}::uuid`;
    const { prisma, secrets } = harness.context;
    await fillInTerminations({ numbers: createNumberStore(prisma), secrets, log });
    expect(await trunkOf(id)).toMatchObject({ registration: 'pending', reason: null });
    const rows = await harness.sql.$queryRaw<
      { n: number }[]
    >`SELECT count(DISTINCT termination)::int AS n FROM phone_numbers
      WHERE id IN (${id}::uuid, ${theirs.id}::uuid) AND termination <> ${shared}::uuid`;
    expect(rows[0]?.n).toBe(2);
  });

  it('of a number of the version before is found', async () => {
    const { id } = await connect('127.0.0.1:5999');
    const simulated = await connect('sip.example.com');
    await harness.sql.$executeRaw`UPDATE phone_numbers SET termination = NULL`;
    await harness.sql.$executeRaw`DELETE FROM terminations`;
    const { prisma, secrets } = harness.context;
    await fillInTerminations({ numbers: createNumberStore(prisma), secrets, log });
    expect(await trunkOf(id)).toMatchObject({ registration: 'pending' });
    expect(await trunkOf(simulated.id)).toBeNull();
  });
});

// Kamailio of Debian, where it is installed.
const installed = kamailio ? describe : describe.skip;

installed('the edge', () => {
  it('lets a trunk call in once it is registered, carries its OPTIONS, and learns again after a restart [sip.30]', async () => {
    const [port, internalPort] = [await freePort(), await freePort()];
    const own = { address: '127.0.0.1', port, internalAddress: '127.0.0.1', internalPort };
    const start = () => startEdge({ ...own, privateNetworks: ['127.0.0.0/8'] });
    const edgeUrl = `ws://127.0.0.1:${internalPort}`;
    let edge = await start();
    const lifecycle = createLifecycle(log, { deadlineMs: 2_000 });
    const trunk = await CarrierDouble.open('127.0.0.20');
    try {
      const { id } = await connect(`127.0.0.20:${trunk.port}`);
      const signalling = createSignalling({
        edgeUrls: [edgeUrl],
        listeners: [],
        trace: () => {},
        clock: harness.context.clock,
        log,
        lifecycle,
      });
      const findRoute = createFindRoute({
        resolveTrunk: createResolveTrunk({ guard: createHostGuard(ALLOWED) }),
        hasEdge: true,
      });
      const checked = checkTrunks(deps(createPingTrunk(signalling, findRoute)));
      const options = await trunk.receives(/^OPTIONS /);
      trunk.answer(options, '200 OK', port);
      await checked;
      expect(await trunkOf(id)).toMatchObject({ registration: 'registered', health: 'up' });

      const publish = createPublishSources({
        edges: edgeAddresses([edgeUrl]),
        terminations: createTerminations(harness.context.prisma),
        secrets: harness.context.secrets,
        nowMs: () => performance.now(),
        log,
      });
      const worker = await WorkerDouble.connect({ url: edgeUrl });
      trunk.received.length = 0;
      trunk.request('INVITE', `sip:+4930@127.0.0.1:${port}`, { port });
      await publish();
      expect(trunk.received).toEqual([]);
      trunk.request('INVITE', `sip:+4930@127.0.0.1:${port}`, { port });
      await trunk.receives(/^SIP\/2\.0 200/);
      worker.crash();

      await edge.kill();
      edge = await start();
      const again = await WorkerDouble.connect({ url: edgeUrl });
      await publish();
      trunk.received.length = 0;
      trunk.request('INVITE', `sip:+4930@127.0.0.1:${port}`, { port });
      await trunk.receives(/^SIP\/2\.0 200/);
      again.crash();
    } finally {
      trunk.close();
      await lifecycle.stop('test');
      await edge.stop();
    }
  });
});

describe('trunks of a workspace [trust.1]', () => {
  it('that do not respond delay no check of another workspace', async () => {
    const hung: (() => void)[] = [];
    const silent: PingTrunk = ({ port }) =>
      new Promise((resolve) => {
        const answer = { isReachable: false, status: null, text: 'not in time', durationMs: 1 };
        if (port === 5_999) resolve({ ...answer, isReachable: true, status: 200, text: 'OK' });
        else hung.push(() => resolve(answer));
      });
    for (let port = 6_000; port < 6_040; port += 1) await connect(`127.0.0.1:${port}`);
    const other = newWorkspace();
    const { id } = await connect('127.0.0.1:5999', {}, other);
    const checks = createTrunkChecks(deps(silent), () => {});
    const { signal } = new AbortController();
    try {
      await checks.fill(signal);
      await eventually(async () => expect((await trunkOf(id, other)).health).toBe('up'));
      await eventually(() => expect(hung).toHaveLength(8));
      await makeDue();
      await checks.fill(signal);
      // Its share of the places; the other workspace had its turn.
      expect(hung).toHaveLength(8);
    } finally {
      for (const answer of hung.splice(0)) answer();
      await checks.drained();
    }
  });

  it('have at most 32 published addresses each, always the same, and 512 together', async () => {
    const other = newWorkspace();
    const published = async (): Promise<readonly string[]> => {
      let known: readonly string[] = [];
      await createPublishSources({
        edges: async () => [],
        terminations: createTerminations(harness.context.prisma),
        secrets: harness.context.secrets,
        knowTrunks: (owners) => {
          known = [...owners.keys()].sort();
        },
        nowMs: () => performance.now(),
        log,
      })();
      return known;
    };
    let from = 0;
    const many = async () => {
      from += 100;
      const targets = Array.from({ length: 100 }, (_, n) => ({
        address: `198.${51 + Math.floor((from + n) / 250)}.100.${(from + n) % 250}`,
        port: 5_060,
      }));
      return { targets: targets.sort(() => Math.random() - 0.5) };
    };
    ping = answering(200, 'OK');
    await connect('127.0.0.1:5998');
    await checkTrunks({ ...deps(ping), resolveTrunk: many });
    const first = await published();
    expect(first).toHaveLength(32);
    from = 0;
    await makeDue();
    await checkTrunks({ ...deps(ping), resolveTrunk: many });
    expect(await published()).toEqual(first);
    for (let port = 6_000; port < 6_020; port += 1) await connect(`127.0.0.1:${port}`);
    await connect('127.0.0.1:5999', {}, other);
    for (let round = 0; round < 3; round += 1) await checkTrunks({ ...deps(ping), resolveTrunk: many });
    expect(await published()).toHaveLength(512 + 32);
  });
});

describe('terminations that no number uses [sip.35]', () => {
  it('keep their addresses for an hour after their last check, so that numbers can move to another one', async () => {
    const [fresh, old, never] = [randomUUID(), randomUUID(), randomUUID()] as const;
    await harness.sql.$executeRaw`INSERT INTO terminations (id, checked_at) VALUES
      (${fresh}::uuid, clock_timestamp() - interval '50 minutes'),
      (${old}::uuid, clock_timestamp() - interval '70 minutes'), (${never}::uuid, NULL)`;
    await createTerminations(harness.context.prisma).sweep();
    const left = await harness.sql.$queryRaw<{ id: string }[]>`SELECT id::text FROM terminations`;
    const ids = left.map(({ id }) => id);
    expect([fresh, old, never].map((id) => ids.includes(id))).toEqual([true, false, false]);
  });
});
