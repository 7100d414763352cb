import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  hasRtpengine,
  headerOf,
  kamailio,
  startEdge,
  startRtpengine,
  WorkerDouble,
} from '@parley/sip-edge/testing';
import { eventually, freePort } from '@parley/testkit';
import type { RingListener } from '../src/carriers/call-control.ts';
import { hasBaresip, startPerson } from './sip/baresip.ts';
import { ELSEWHERE, type FarEnd, openFarEnd } from './sip/far-end.ts';
import { dial, type SipProcess, sipProcess, sipWorld, trunkAt, watch } from './sip/sip-process.ts';

const isInstalled = kamailio !== undefined && hasRtpengine();
if (!isInstalled) console.warn('Kamailio or rtpengine is not installed: calls through rtpengine are skipped');

const NUMBER = '+12025550100';
const CALLER = '+12025550199';
const PORTS = { min: 46_000, max: 46_099 };
const LOUD = 2_000;
/** Of the shortest session timer: half of it, after which we refresh. */
const TERMS = ['Require: timer', 'Session-Expires: 90;refresher=uac'];
const REFRESH_MS = 45_000;

(isInstalled ? describe : describe.skip)('audio through rtpengine beside the edge', () => {
  const releases: (() => unknown)[] = [];
  /** What speaks on would be heard in the next call: ports are used again at once. */
  const ends: FarEnd[] = [];
  const world = sipWorld();
  let worker: SipProcess;
  let port: number;
  let internalPort: number;
  let takes: RingListener = async () => true;
  beforeAll(async () => {
    [port, internalPort] = [await freePort(), await freePort()];
    const rtpengine = await startRtpengine({
      ...{ controlPort: await freePort(), ports: PORTS },
      // By default, audio goes on for 30 seconds after a session is deleted.
      more: ['--delete-delay=0'],
    });
    releases.push(rtpengine.stop);
    const edge = await startEdge({
      ...{ address: '127.0.0.1', port, internalAddress: '127.0.0.1', internalPort },
      privateNetworks: ['127.0.0.0/8'],
      rtpengine: rtpengine.socket,
    });
    releases.push(edge.stop);
    worker = sipProcess(world, { edgeUrls: [`ws://127.0.0.1:${internalPort}`] }, undefined, {
      // Next to none: a worker with more is tried first.
      freeCalls: () => 1,
    });
    worker.carrier.receive((ring) => takes(ring), worker.lifecycle);
    releases.push(worker.stop);
  });
  afterEach(() => {
    for (const end of ends.splice(0)) end.close();
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    for (const release of releases.splice(0).reverse()) await release();
  });

  /** Sends a tone, and counts loud frames of the far end. */
  const talk = (reference: string) => {
    const media = worker.carrier.media(reference);
    if (media?.kind !== 'audio') throw new Error('The leg has no audio');
    const { session } = media;
    let heard = 0;
    session.onFrame(({ samples }) => {
      if (samples.some((sample) => Math.abs(sample) > LOUD)) heard += 1;
    });
    session.addSource(() => toneOf((session.sampleRate * 20) / 1_000));
    return () => heard;
  };
  const isOfRtpengine = (sdp: string): void => {
    const [, at] = /^m=audio (\d+) /m.exec(sdp) ?? [];
    expect(Number(at)).toBeGreaterThanOrEqual(PORTS.min);
    expect(Number(at)).toBeLessThanOrEqual(PORTS.max);
  };

  /** A call to the far end, once audio goes both ways. */
  const answered = async (more: readonly string[] = []) => {
    const end = await openFarEnd('127.0.0.10', port);
    ends.push(end);
    const connection = {
      ...trunkAt(end.trunk.port, null, 'udp'),
      terminationUri: `127.0.0.10:${end.trunk.port}`,
    };
    const call = await dial(worker, connection);
    const invite = await end.trunk.receives(/^INVITE /);
    isOfRtpengine(invite);
    end.trunk.answer(invite, '200 OK', port, end.sdp(), more);
    await call.until('media');
    end.speakTo(invite);
    const heardHere = talk(call.reference);
    await goesBothWays(end, heardHere);
    const { asks } = end.within(invite);
    const isHungUp = async () => {
      await worker.carrier.hangup(call.reference);
      await end.trunk.receives(/^BYE /);
    };
    return { end, asks, isHungUp, both: () => goesBothWays(end, heardHere) };
  };
  const goesBothWays = async (end: FarEnd, heardHere: () => number): Promise<void> => {
    const [there, here] = [end.heard(), heardHere()];
    await eventually(
      () => {
        expect(end.heard() - there).toBeGreaterThan(20);
        expect(heardHere() - here).toBeGreaterThan(20);
      },
      { timeoutMs: 10_000 },
    );
  };

  /** To an INVITE of ours, as the worker has it. */
  const lastAnswer = (): string =>
    worker.trace.findLast(({ message }) => /^SIP\/2\.0 200 [\s\S]*^CSeq: \d+ INVITE/m.test(message))
      ?.message ?? '';

  it('goes both ways with a far end behind NAT, whose description has an address that leads nowhere', async () => {
    const { isHungUp } = await answered();
    const answer = lastAnswer();
    expect(answer).not.toContain(ELSEWHERE);
    isOfRtpengine(answer);
    await isHungUp();
  });

  it('goes on when the far end has held the call and resumed it, by re-INVITE or by UPDATE [sip.6]', async () => {
    const { end, asks, both, isHungUp } = await answered();
    const held = await asks('INVITE', 1, end.sdp('sendonly'));
    isOfRtpengine(held);
    expect(held).toMatch(/^a=recvonly\r$/m);
    // What is on its way still arrives, and the ACK before the next re-INVITE.
    await sleep(200);
    const before = end.heard();
    await sleep(400);
    expect(end.heard()).toBe(before);
    isOfRtpengine(await asks('INVITE', 2, end.sdp()));
    await both();
    isOfRtpengine(await asks('UPDATE', 3, end.sdp('inactive')));
    isOfRtpengine(await asks('UPDATE', 4, end.sdp()));
    await both();
    await isHungUp();
  });

  it('goes on when we have refreshed the session, and when either end refuses an offer of the other', async () => {
    const start = globalThis.setTimeout;
    const early = (run: () => void, ms?: number) => start(run, ms === REFRESH_MS ? 200 : ms);
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(early as typeof setTimeout);
    const { end, asks, both, isHungUp } = await answered(TERMS);
    const refresh = await end.invited(1);
    isOfRtpengine(refresh);
    end.trunk.answer(refresh, '200 OK', port, end.sdp(), TERMS);
    await eventually(() => expect(lastAnswer()).toContain('Session-Expires'));
    isOfRtpengine(lastAnswer());
    await both();
    end.trunk.answer(await end.invited(2), '491 Request Pending', port);
    await both();
    // It is repeated after some seconds.
    end.trunk.answer(await end.invited(3), '488 Not Acceptable Here', port);
    await both();
    expect(await asks('INVITE', 1, end.sdp('sendrecv', 18))).toMatch(/^SIP\/2\.0 488/);
    await both();
    await isHungUp();
  });

  it('goes both ways in a call that a full worker has refused before', async () => {
    const full = await WorkerDouble.connect({
      url: `ws://127.0.0.1:${internalPort}`,
      freeCalls: 1_000,
      answer: () => 503,
    });
    releases.push(() => full.crash());
    const end = await openFarEnd('127.0.0.10', port);
    ends.push(end);
    const trunk = { host: '127.0.0.10', port: null, transport: 'udp' as const, credentials: null };
    world.numbers = [{ numberId: '1', workspaceId: '1', phoneNumber: NUMBER, isActive: true, trunk }];
    await fetch(`http://127.0.0.1:${internalPort}/sources`, { method: 'PUT', body: '127.0.0.10' });
    let reference = '';
    takes = async (ring) => {
      reference = ring.reference;
      return true;
    };
    await eventually(async () =>
      expect((await fetch(`http://127.0.0.1:${internalPort}/readyz`)).status).toBe(200),
    );
    const callId = end.callsIn(`sip:${NUMBER}@127.0.0.1:${port}`, CALLER);
    await eventually(() => expect(reference).not.toBe(''));
    expect(full.received.some((message) => headerOf(message, 'call-id') === callId)).toBe(true);
    const { until } = watch(worker.carrier, reference);
    await worker.carrier.answer(reference);
    isOfRtpengine(await end.isAnswered(callId));
    await until('media');
    await goesBothWays(end, talk(reference));
    await worker.carrier.hangup(reference);
    await until('ended');
  });

  (hasBaresip() ? it : it.skip)('is SRTP to a person who calls in with it [sip.10]', async () => {
    const person = await startPerson({
      number: CALLER,
      says: Array.from({ length: 8 }, () => ({ afterSeconds: 1, text: 'Hello, can you hear me?' })),
      isEncrypted: true,
    });
    releases.push(person.stop);
    const trunk = { host: '127.0.0.1', port: person.port, transport: 'tcp' as const, credentials: null };
    world.numbers = [{ numberId: '1', workspaceId: '1', phoneNumber: NUMBER, isActive: true, trunk }];
    await fetch(`http://127.0.0.1:${internalPort}/sources`, { method: 'PUT', body: '127.0.0.1' });
    let reference = '';
    takes = async (ring) => {
      reference = ring.reference;
      return true;
    };
    await eventually(async () =>
      expect((await fetch(`http://127.0.0.1:${internalPort}/readyz`)).status).toBe(200),
    );
    person.type(`/dial sip:${NUMBER}@127.0.0.1:${port};transport=tcp\n`);
    await eventually(() => expect(reference).not.toBe(''));
    const { until } = watch(worker.carrier, reference);
    await worker.carrier.answer(reference);
    await until('media');
    const heardHere = talk(reference);
    await eventually(() => expect(heardHere()).toBeGreaterThan(10));
    await eventually(async () => {
      const [heard = new Int16Array()] = await person.heard();
      expect(heard.filter((sample) => Math.abs(sample) > LOUD).length).toBeGreaterThan(1_000);
    });
    const invite = worker.trace.find(({ message }) => /^INVITE /.test(message) && message.includes('SAVP'));
    isOfRtpengine(invite?.message ?? '');
    expect(invite?.message).toMatch(/^a=crypto:/m);
    await worker.carrier.hangup(reference);
    await until('ended');
  });
});

function toneOf(samples: number): Int16Array {
  return Int16Array.from({ length: samples }, (_, n) =>
    Math.round(12_000 * Math.sin((2 * Math.PI * n) / 16)),
  );
}
