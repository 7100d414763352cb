import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { createHostGuard } from '@parley/kit/outbound';
import { CarrierDouble, kamailio, startEdge, WorkerDouble } from '@parley/sip-edge/testing';
import { freePort } from '@parley/testkit';
import { createFindRoute } from '../src/carriers/sip/signalling/find-route.ts';
import { createPingTrunk, type PingTrunk } from '../src/carriers/sip/signalling/ping-trunk.ts';
import { createResolveTrunk } from '../src/carriers/sip/signalling/resolve-trunk.ts';
import { createSignalling } from '../src/carriers/sip/signalling/signalling.ts';
import { createNumberStore } from '../src/numbers/numbers.store.ts';
import { fillInTerminations } from '../src/numbers/trunks.ts';
import { type CheckTrunksDeps, checkTrunks } from '../src/trunks/check-trunks.ts';
import { createTerminations } from '../src/trunks/terminations.store.ts';
import { createUpdateEdges, edgeAddresses } from '../src/trunks/update-edges.ts';
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

const connect = async (termination_uri: string, more: object = {}): Promise<Json> => {
  const body = { phone_number: anyNumber(), termination_uri, ...more };
  const answer = await harness.ask(workspace, 'POST', '/v1/phone-number/sip', { body });
  expect(answer.status).toBe(201);
  return answer.body.data;
};
const trunkOf = async (id: string): Promise<Json> =>
  (await harness.ask(workspace, 'GET', `/v1/phone-number/${id}`)).body.data.trunk;
const makeDue = () => harness.sql.$executeRaw`UPDATE terminations SET due_at = clock_timestamp()`;
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

      const tell = createUpdateEdges({
        edges: edgeAddresses([edgeUrl]),
        terminations: createTerminations(harness.context.prisma),
        secrets: harness.context.secrets,
        nowMs: () => performance.now(),
        log,
      });
      const worker = await WorkerDouble.connect({ url: edgeUrl });
      trunk.received.length = 0;
      trunk.request('INVITE', `sip:+4930@127.0.0.1:${port}`, { port });
      await tell();
      expect(trunk.received).toEqual([]);
      trunk.request('INVITE', `sip:+4930@127.0.0.1:${port}`, { port });
      await trunk.receives(/^SIP\/2\.0 200/);
      worker.crash();

      await edge.kill();
      edge = await start();
      const again = await WorkerDouble.connect({ url: edgeUrl });
      await tell();
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
