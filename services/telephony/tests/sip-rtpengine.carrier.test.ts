import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CarrierDouble, hasRtpengine, kamailio, startEdge, startRtpengine } from '@parley/sip-edge/testing';
import { eventually, freePort } from '@parley/testkit';
import { hasBaresip, startPerson } from './sip/baresip.ts';
import { dial, type SipProcess, sipProcess, sipWorld, trunkAt, watch } from './sip/sip-process.ts';

const isInstalled = kamailio !== undefined && hasRtpengine();
if (!isInstalled) console.warn('Kamailio or rtpengine is not installed: calls through rtpengine are skipped');

const NUMBER = '+12025550100';
const CALLER = '+12025550199';
const PORTS = { min: 46_000, max: 46_099 };
/** An address that nothing is sent to: behind a NAT it would be a private one. */
const ELSEWHERE = '192.0.2.9';
const LOUD = 2_000;

(isInstalled ? describe : describe.skip)('audio through rtpengine beside the edge', () => {
  const releases: (() => unknown)[] = [];
  const world = sipWorld();
  let worker: SipProcess;
  let port: number;
  let internalPort: number;
  beforeAll(async () => {
    [port, internalPort] = [await freePort(), await freePort()];
    const rtpengine = await startRtpengine({ controlPort: await freePort(), ports: PORTS });
    releases.push(rtpengine.stop);
    const edge = await startEdge({
      ...{ address: '127.0.0.1', port, internalAddress: '127.0.0.1', internalPort },
      privateNetworks: ['127.0.0.0/8'],
      rtpengine: rtpengine.socket,
    });
    releases.push(edge.stop);
    worker = sipProcess(world, { edgeUrls: [`ws://127.0.0.1:${internalPort}`] });
    releases.push(worker.stop);
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

  it('goes both ways with a far end behind NAT, whose description has an address that leads nowhere', async () => {
    const trunk = await CarrierDouble.open('127.0.0.10');
    const audio = createSocket('udp4');
    await new Promise<void>((resolve) => audio.bind(0, '127.0.0.10', resolve));
    releases.push(
      () => trunk.close(),
      () => audio.close(),
    );
    let heard = 0;
    // Silence is 0xff and 0x7f in µ-law.
    audio.on('message', (packet) => {
      if (packet.subarray(12).some((byte) => (byte & 0x7f) < 0x40)) heard += 1;
    });
    const connection = { ...trunkAt(trunk.port, null, 'udp'), terminationUri: `127.0.0.10:${trunk.port}` };
    const call = await dial(worker, connection);
    const invite = await trunk.receives(/^INVITE /);
    isOfRtpengine(invite);
    const { port: theirs } = audio.address() as AddressInfo;
    trunk.answer(invite, '200 OK', port, sdpAt(ELSEWHERE, theirs));
    await call.until('media');
    const heardHere = talk(call.reference);
    const to = Number(/^m=audio (\d+) /m.exec(invite)?.[1]);
    let n = 0;
    const sending = setInterval(() => {
      n += 1;
      audio.send(rtpOf(n), to, '127.0.0.1');
    }, 20);
    releases.push(() => clearInterval(sending));
    await eventually(() => {
      expect(heard).toBeGreaterThan(20);
      expect(heardHere()).toBeGreaterThan(20);
    });
    const answer = worker.trace.find(({ message }) => /^SIP\/2\.0 200/.test(message))?.message ?? '';
    expect(answer).not.toContain(ELSEWHERE);
    isOfRtpengine(answer);
    await worker.carrier.hangup(call.reference);
    await trunk.receives(/^BYE /);
  });

  (hasBaresip() ? it : it.skip)('is SRTP to a person who calls in with it [sip.10]', async () => {
    const person = await startPerson({
      number: CALLER,
      says: Array.from({ length: 8 }, () => ({ afterSeconds: 1, text: 'Hello, can you hear me?' })),
      isEncrypted: true,
    });
    releases.push(person.stop);
    const trunk = { host: '127.0.0.1', port: person.port, transport: 'tcp' as const, credentials: null };
    world.numbers.push({ numberId: '1', workspaceId: '1', phoneNumber: NUMBER, isActive: true, trunk });
    await fetch(`http://127.0.0.1:${internalPort}/sources`, { method: 'PUT', body: '127.0.0.1' });
    let reference = '';
    worker.carrier.receive(async (ring) => {
      reference = ring.reference;
      return true;
    }, worker.lifecycle);
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

const sdpAt = (address: string, port: number): string =>
  [
    'v=0',
    `o=- 1 1 IN IP4 ${address}`,
    's=-',
    `c=IN IP4 ${address}`,
    't=0 0',
    `m=audio ${port} RTP/AVP 0`,
    'a=rtpmap:0 PCMU/8000',
    '',
  ].join('\r\n');

function toneOf(samples: number): Int16Array {
  return Int16Array.from({ length: samples }, (_, n) =>
    Math.round(12_000 * Math.sin((2 * Math.PI * n) / 16)),
  );
}

/** 20 ms of a loud tone in PCMU. */
function rtpOf(sequence: number): Buffer {
  const packet = Buffer.alloc(172);
  packet[0] = 0x80;
  packet.writeUInt16BE(sequence & 0xffff, 2);
  packet.writeUInt32BE((sequence * 160) >>> 0, 4);
  packet.writeUInt32BE(0x1234_5678, 8);
  for (let n = 0; n < 160; n += 1) packet[12 + n] = n % 16 < 8 ? 0x90 : 0x10;
  return packet;
}
