import { afterEach, describe, expect, it } from '@jest/globals';
import { createMetrics } from '@parley/kit/observability';
import { monotonicMs } from '@parley/kit/time';
import { CarrierDouble, kamailio, startEdge } from '@parley/sip-edge/testing';
import { eventually, freePort } from '@parley/testkit';
import { createSipMetrics } from '../src/carriers/sip/sip-metrics.ts';
import { dial, type SipProcess, sipProcess, sipWorld, trunkAt, watch } from './sip/sip-process.ts';

if (!kamailio) console.warn('Kamailio is not installed: the tests of several SIP edges are skipped');

const NUMBER = '+12025550100';
const CALLER = '+12025550199';
const SDP = [
  'v=0',
  'o=- 1 1 IN IP4 127.0.0.1',
  's=-',
  'c=IN IP4 127.0.0.1',
  't=0 0',
  'm=audio 20000 RTP/AVP 0',
  '',
].join('\r\n');

type Edge = Awaited<ReturnType<typeof startEdge>> & { port: number; internalPort: number };

(kamailio ? describe : describe.skip)('a worker at two SIP edges [sip.40]', () => {
  const releases: (() => unknown)[] = [];
  afterEach(async () => {
    for (const release of releases.splice(0).reverse()) await release();
  });

  const edgeAt = async (port: number, internalPort: number): Promise<Edge> => {
    const own = { address: '127.0.0.1', port, internalAddress: '127.0.0.1', internalPort };
    const edge = await startEdge({ ...own, privateNetworks: ['127.0.0.0/8'] });
    releases.push(edge.stop);
    return { ...edge, port, internalPort };
  };
  const isReady = async ({ internalPort }: Edge): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${internalPort}/readyz`);
    expect(response.status).toBe(200);
  };
  const know = ({ internalPort }: Edge, address: string) =>
    fetch(`http://127.0.0.1:${internalPort}/sources`, { method: 'PUT', body: address });

  const trunkOf = ({ address, port }: CarrierDouble) => ({
    ...trunkAt(port, null, 'udp'),
    terminationUri: `${address}:${port}`,
  });

  /** A call that the trunk has answered, and the edge by which it came. */
  const answered = async (worker: SipProcess, trunk: CarrierDouble, edges: readonly Edge[]) => {
    trunk.received.length = 0;
    const call = await dial(worker, trunkOf(trunk));
    const invite = await trunk.receives(/^INVITE /);
    const via = edges.find(({ port }) => invite.includes(`Via: SIP/2.0/UDP 127.0.0.1:${port};`));
    if (!via) throw new Error(`an INVITE of neither edge: ${invite}`);
    trunk.answer(invite, '200 OK', via.port, SDP);
    await call.until('answered');
    return { ...call, via };
  };

  it('registers at both; when one dies, new calls and those that are answered take the other, until it is back', async () => {
    const ports = [await freePort(), await freePort(), await freePort(), await freePort()] as const;
    const one = await edgeAt(ports[0], ports[1]);
    const other = await edgeAt(ports[2], ports[3]);
    const edges = [one, other];
    const world = sipWorld();
    const counts: { known: number; registered: number }[] = [];
    const worker = sipProcess(
      world,
      { edgeUrls: edges.map(({ internalPort }) => `ws://127.0.0.1:${internalPort}`) },
      undefined,
      {
        metrics: {
          ...createSipMetrics(createMetrics('test'), monotonicMs),
          edges: (count) => counts.push(count),
        },
      },
    );
    releases.push(worker.stop);
    worker.carrier.receive(async () => true, worker.lifecycle);
    await eventually(() => Promise.all(edges.map(isReady)));
    // An edge knows of its registration before the worker does.
    await eventually(() => expect(counts.at(-1)).toEqual({ known: 2, registered: 2 }));
    const trunk = await CarrierDouble.open('127.0.0.10');
    releases.push(() => trunk.close());

    // Calls take turns.
    const calls = [await answered(worker, trunk, edges), await answered(worker, trunk, edges)];
    expect(new Set(calls.map(({ via }) => via.port)).size).toBe(2);

    await one.kill();
    await eventually(() => expect(counts.at(-1)).toEqual({ known: 2, registered: 1 }));
    const next = await answered(worker, trunk, edges);
    expect(next.via).toBe(other);

    // The answered call of the dead edge is hung up by the other one, which is no part of its route.
    const ofTheDead = calls.find(({ via }) => via === one);
    trunk.received.length = 0;
    await worker.carrier.hangup(ofTheDead?.reference ?? '');
    const bye = await trunk.receives(/^BYE /);
    expect(bye).toContain(`Via: SIP/2.0/UDP 127.0.0.1:${other.port};`);
    expect(bye).not.toMatch(/^Route:/m);
    trunk.answer(bye, '200 OK', other.port);
    // The sockets of the others would keep the process from exiting.
    for (const { reference } of [...calls, next].filter((call) => call !== ofTheDead)) {
      trunk.received.length = 0;
      await worker.carrier.hangup(reference);
      trunk.answer(await trunk.receives(/^BYE /), '200 OK', other.port);
    }

    // A call comes in by the other one.
    world.numbers.push({
      numberId: '0',
      workspaceId: '0',
      phoneNumber: NUMBER,
      isActive: true,
      trunk: { host: '127.0.0.10', port: trunk.port, transport: 'udp', credentials: null },
    });
    await know(other, trunk.address);
    const target = `sip:${NUMBER}@127.0.0.1:${other.port}`;
    const asserted = `P-Asserted-Identity: <sip:${CALLER}@carrier>`;
    trunk.request('INVITE', target, { port: other.port }, [asserted]);
    await trunk.receives(/^SIP\/2\.0 180/);

    const again = await edgeAt(one.port, one.internalPort);
    await eventually(() => isReady(again));
    await eventually(() => expect(counts.at(-1)).toEqual({ known: 2, registered: 2 }));
  });

  it('ends a call that came in by an edge that died before the answer', async () => {
    const edge = await edgeAt(await freePort(), await freePort());
    const world = sipWorld();
    const worker = sipProcess(world, { edgeUrls: [`ws://127.0.0.1:${edge.internalPort}`] });
    releases.push(worker.stop);
    const references: string[] = [];
    worker.carrier.receive(async ({ reference }) => {
      references.push(reference);
      return true;
    }, worker.lifecycle);
    await eventually(() => isReady(edge));
    const trunk = await CarrierDouble.open('127.0.0.11');
    releases.push(() => trunk.close());
    const { address: host, port } = trunk;
    const ofNumber = { host, port, transport: 'udp' as const, credentials: null };
    world.numbers.push({
      numberId: '0',
      workspaceId: '0',
      phoneNumber: NUMBER,
      isActive: true,
      trunk: ofNumber,
    });
    await know(edge, host);
    trunk.request('INVITE', `sip:${NUMBER}@127.0.0.1:${edge.port}`, { port: edge.port });
    await trunk.receives(/^SIP\/2\.0 180/);
    const [reference = ''] = references;
    const call = watch(worker.carrier, reference);
    await worker.carrier.attach(reference, { humanTurns: 0, lastSpeaker: null, state: null });
    await edge.kill();
    const end = await call.until('ended');
    expect(end).toMatchObject({ cause: 'lost', answeredAt: null });
    expect(end.provider?.text).toMatch(/edge .* was lost/);
  });
});
