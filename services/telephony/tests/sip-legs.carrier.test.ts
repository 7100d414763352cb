import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { createMuLawCodec, createTicker, createUdpTransport, levelDb } from '@parley/media';
import { createSrtpSession, SRTP_KEY_BYTES } from '@parley/media/srtp';
import { eventually, freePort } from '@parley/testkit';
import {
  ANSWERS,
  callerRequest,
  expectRequest,
  expectResponse,
  hasSipp,
  pause,
  respond,
  respondInside,
} from '@parley/testkit/sip';
import { createLegMedia, type LegMediaOptions } from '../src/carriers/sip/media/leg-media.ts';
import { mediaClock } from '../src/speech/media-clock.ts';
import { dial, sipProcess, trunkAt } from './sip/sip-process.ts';
import { CALLED, CALLER, inbound, openStage, type Stage, wentWell } from './sip/stage.ts';

const withSipp = hasSipp() ? describe : describe.skip;
const silent = createLogger({ service: 'test', level: 'silent' });
const ticker = createTicker(mediaClock, (err) => {
  throw err;
});

async function leg(
  isSecure: boolean,
  codecs: LegMediaOptions['codecs'] = ['G722', 'PCMU'],
  more: Partial<LegMediaOptions> = {},
) {
  const transport = await createUdpTransport({ address: '127.0.0.1', random: Math.random });
  const address = '127.0.0.1';
  return {
    transport,
    media: createLegMedia({
      ...{ transport, address, codecs, isSecure, isAllowedAddress: () => true, peers: [], ticker },
      ...more,
    }),
  };
}

describe('the audio of a leg', () => {
  it('is encrypted by keys in the descriptions, and heard [sip.10]', async () => {
    const caller = await leg(true);
    const callee = await leg(false);
    const offer = caller.media.offer();
    expect(offer).toContain('RTP/SAVP');
    const answer = await callee.media.answer(offer);
    expect(answer).toMatch(/a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:/);
    expect(await caller.media.accept(answer ?? '')).toBe(true);
    const [speaks, hears] = [caller.media.session(), callee.media.session()];
    speaks?.addSource(() => new Int16Array(320).map((_, i) => Math.round(8_000 * Math.sin(i / 3))));
    let loudest = Number.NEGATIVE_INFINITY;
    hears?.onFrame(({ samples }) => {
      loudest = Math.max(loudest, levelDb(samples));
    });
    await eventually(() => expect(loudest).toBeGreaterThan(-25));
    expect(hears?.stats().packetsRejected).toBe(0);
    caller.media.close();
    callee.media.close();
  });

  it('is not sent in the clear where encryption was demanded [sip.10]', async () => {
    const caller = await leg(true);
    const plain =
      'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n';
    caller.media.offer();
    expect(await caller.media.accept(plain)).toBe(false);
    expect(caller.media.session()).toBeUndefined();
    caller.media.close();
  });

  it('stays as it was agreed on in later offers, whatever ours would have been [sip.10]', async () => {
    const us = await leg(true);
    const plain = await leg(false);
    const answer = await us.media.answer(plain.media.offer());
    expect(await plain.media.accept(answer ?? '')).toBe(true);
    expect(us.media.isSecure()).toBe(false);
    const refreshed = us.media.offer();
    expect(refreshed).toContain('RTP/AVP');
    expect(await us.media.accept((await plain.media.answer(refreshed)) ?? '')).toBe(true);
    const encrypted = await leg(true);
    await plain.media.answer(encrypted.media.offer());
    expect(plain.media.isSecure()).toBe(true);
    expect(plain.media.offer()).toContain('RTP/SAVP');
    for (const { media } of [us, plain, encrypted]) media.close();
  });

  it('is heard after another codec was agreed on, and in another worker, also when sequence numbers have started over [sip.10] [sip.14]', async () => {
    const far = await createUdpTransport({ address: '127.0.0.1', random: Math.random });
    const [us, other] = [
      await leg(true, ['PCMU', 'PCMA']),
      await leg(true, ['PCMU', 'PCMA'], { startedMsAgo: 30 * 60_000 }),
    ];
    const key = randomBytes(SRTP_KEY_BYTES);
    const session = createSrtpSession({ local: key, remote: key }).protect(far);
    let sequence = 0;
    const send = (count: number, payloadType: number, to: number): void => {
      for (let n = 0; n < count; n += 1, sequence += 1) {
        const header = Buffer.alloc(12);
        header.writeUInt16BE(0x80_00 + payloadType, 0);
        header.writeUInt16BE(sequence % 65_536, 2);
        header.writeUInt32BE((sequence * 160) % 2 ** 32, 4);
        header.writeUInt32BE(1, 8);
        const packet = Buffer.concat([header, new Uint8Array(160)]);
        session.send(packet, 'rtp', { address: '127.0.0.1', port: to });
      }
    };
    const description = (payloadType: number, name: string): string =>
      [
        ...['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0'],
        `m=audio ${far.port} RTP/SAVP ${payloadType}`,
        `a=rtpmap:${payloadType} ${name}/8000`,
        `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key.toString('base64')}`,
        '',
      ].join('\r\n');
    const isHeard = async ({ media, transport }: typeof us, payloadType: number): Promise<void> => {
      const before = media.session()?.stats().packetsReceived ?? 0;
      await eventually(() => {
        send(5, payloadType, transport.port);
        expect(media.session()?.stats().packetsReceived).toBeGreaterThan(before + 10);
      });
    };
    await us.media.answer(description(0, 'PCMU'));
    await isHeard(us, 0);
    // To nowhere: only the far end's sequence numbers go on.
    const nowhere = await createUdpTransport({ address: '127.0.0.1', random: Math.random });
    while (sequence < 65_500) send(500, 0, nowhere.port);
    nowhere.close();
    for (let n = 0; n < 80; n += 1) send(1, 0, us.transport.port);
    await us.media.answer(description(8, 'PCMA'));
    await isHeard(us, 8);
    await other.media.answer(description(8, 'PCMA'));
    await isHeard(other, 8);
    for (const { media } of [us, other]) media.close();
    far.close();
  });

  it('carries the duration of key presses in units of their own clock rate [sip.9]', async () => {
    const far = await createUdpTransport({ address: '127.0.0.1', random: Math.random });
    const us = await leg(false, ['opus']);
    const durations: number[] = [];
    far.onPacket((bytes, channel) => {
      if (channel === 'rtp' && ((bytes[1] ?? 0) & 0x7f) === 101)
        durations.push(Buffer.from(bytes).readUInt16BE(14));
    });
    await us.media.answer(
      [
        ...['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0'],
        ...[`m=audio ${far.port} RTP/AVP 107 101`, 'a=rtpmap:107 opus/48000/2'],
        ...['a=rtpmap:101 telephone-event/8000', 'a=fmtp:101 0-15', ''],
      ].join('\r\n'),
    );
    us.media.session()?.sendDigits('5');
    await eventually(() => expect(durations.length).toBeGreaterThan(3));
    expect(durations.slice(0, 3)).toEqual([160, 320, 480]);
    us.media.close();
    far.close();
  });

  it('goes to no address that is not allowed, but to where the far end is heard from [sip.10]', async () => {
    const us = await leg(false, ['PCMU'], { isAllowedAddress: () => false });
    const other = await leg(false, ['PCMU'], { isAllowedAddress: (address) => address === '127.0.0.1' });
    const silent = await createUdpTransport({ address: '127.0.0.1', random: Math.random });
    let astray = 0;
    silent.onPacket(() => {
      astray += 1;
    });
    const offer = other.media.offer();
    const answer = await us.media.answer(
      offer.replace(`m=audio ${other.transport.port}`, `m=audio ${silent.port}`),
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(astray).toBe(0);
    await other.media.accept(answer ?? '');
    await eventually(() => expect(other.media.session()?.stats().packetsReceived).toBeGreaterThan(5));
    expect(astray).toBe(0);
    for (const { media } of [us, other]) media.close();
    silent.close();
  });

  it('is neither heard nor taken by a third party that guesses the port [sip.9]', async () => {
    const us = await leg(false, ['PCMU'], { peers: ['127.0.0.1'] });
    const them = await leg(false, ['PCMU']);
    const answer = await us.media.answer(them.media.offer());
    await them.media.accept(answer ?? '');
    // It speaks as loud as it can, at once, before the far end does.
    const hostile = await createUdpTransport({ address: '127.0.0.66', random: Math.random });
    let taken = 0;
    hostile.onPacket(() => {
      taken += 1;
    });
    const loud = new Uint8Array(160).fill(0x80);
    let sequence = 0;
    const attack = setInterval(() => {
      for (let n = 0; n < 5; n += 1) {
        sequence += 1;
        const header = Buffer.alloc(12);
        header.writeUInt16BE(0x80_00, 0);
        header.writeUInt16BE(sequence % 65_536, 2);
        header.writeUInt32BE(sequence * 160, 4);
        header.writeUInt32BE(666, 8);
        const packet = Buffer.concat([header, loud]);
        hostile.send(packet, 'rtp', { address: '127.0.0.1', port: us.transport.port });
      }
    }, 10);
    let loudest = Number.NEGATIVE_INFINITY;
    us.media.session()?.onFrame(({ samples }) => {
      loudest = Math.max(loudest, levelDb(samples));
    });
    await eventually(() => expect(us.media.session()?.stats().packetsRejected).toBeGreaterThan(200));
    await eventually(() => expect(us.media.session()?.stats().packetsReceived).toBeGreaterThan(20));
    // Nor when the far end is silent for longer than its source may be.
    them.media.close();
    const rejected = us.media.session()?.stats().packetsRejected ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    clearInterval(attack);
    expect(us.media.session()?.stats().packetsRejected).toBeGreaterThan(rejected + 100);
    expect(taken).toBe(0);
    expect(loudest).toBeLessThan(-60);
    us.media.close();
    hostile.close();
  });

  it('follows the far end to another codec, and the session stays [sip.6] [sip.9]', async () => {
    const us = await leg(false);
    const first = await leg(false, ['G722']);
    const second = await leg(false, ['PCMU']);
    await us.media.answer(first.media.offer());
    const session = us.media.session();
    const answer = await us.media.answer(second.media.offer());
    expect(answer).toContain(`RTP/AVP 0 101`);
    expect(us.media.session()).toBe(session);
    expect(await second.media.accept(answer ?? '')).toBe(true);
    const codec = createMuLawCodec();
    await eventually(() => expect(second.media.session()?.stats().packetsReceived).toBeGreaterThan(5));
    codec.close();
    for (const { media } of [us, first, second]) media.close();
  });
});

withSipp('a leg', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  it('that nothing is heard of for 20 seconds is lost [sip.11]', async () => {
    const peer = await stage.sipp({
      steps: [
        expectRequest('INVITE'),
        respond(200, 'OK', { sdp: true }),
        expectRequest('ACK'),
        expectRequest('BYE'),
        respondInside(200, 'OK'),
      ],
    });
    const call = await dial(stage.here, trunkAt(peer.port));
    const ended = await call.until('ended', 30_000);
    expect(ended).toMatchObject({ cause: 'lost', provider: { text: 'No audio came for 20 seconds' } });
    await wentWell(peer);
  });

  it('that another attempt could not reach gets the whole time of the next one [sip.14]', async () => {
    const peer = await stage.sipp({ steps: ANSWERS });
    const call = await dial(stage.here, trunkAt(peer.port));
    await call.until('media');
    const { reference } = call;
    await eventually(() =>
      expect(stage.world.states.get(reference)).toMatchObject({ leg: { phase: 'established' } }),
    );
    // Nothing listens at port 9.
    const state = JSON.parse(JSON.stringify(stage.world.states.get(reference)));
    state.leg.hop.port = 9;
    const attach = () => stage.other.carrier.attach(reference, { humanTurns: 0, lastSpeaker: null, state });
    await expect(attach()).rejects.toThrow('ECONNREFUSED');
    stage.other.carrier.detach(reference);
    const now = mediaClock.nowMs();
    const clock = jest.spyOn(mediaClock, 'nowMs').mockImplementation(() => now + 60_000);
    try {
      await expect(attach()).rejects.toThrow('ECONNREFUSED');
    } finally {
      clock.mockRestore();
      stage.other.carrier.detach(reference);
    }
    await stage.here.carrier.hangup(reference);
    await wentWell(peer);
  });

  it('that rings is awaited before it is handed over, and a worker that stops takes no calls [sip.17]', async () => {
    const peer = await stage.sipp({
      steps: [
        expectRequest('INVITE'),
        respond(180, 'Ringing'),
        pause(600),
        respond(200, 'OK', { sdp: true }),
        expectRequest('ACK'),
        expectRequest('BYE'),
        respondInside(200, 'OK'),
      ],
    });
    const here = sipProcess(stage.world);
    const call = await dial(here, trunkAt(peer.port));
    await call.until('ringing');
    await here.carrier.settled?.(call.reference);
    expect(call.events.some(({ type }) => type === 'answered')).toBe(true);
    await here.carrier.hangup(call.reference);
    await wentWell(peer);
    await here.stop();

    // The lifecycle of its listening ends first; calls that it has go on.
    const listening = createLifecycle(silent, { deadlineMs: 5_000 });
    const port = await freePort();
    const stopping = sipProcess(stage.world, { listeners: [{ transport: 'tcp', host: '127.0.0.1', port }] });
    let offers = 0;
    stopping.carrier.receive(async () => {
      offers += 1;
      return true;
    }, listening);
    const held = await stage.sipp({ steps: ANSWERS });
    const going = await dial(stopping, trunkAt(held.port));
    await going.until('media');
    await listening.stop('test');
    stage.world.numbers = [
      {
        numberId: 'number',
        workspaceId: 'workspace',
        phoneNumber: CALLED,
        isActive: true,
        trunk: { host: '127.0.0.1', port: null, transport: 'tcp', credentials: null },
      },
    ];
    const caller = await stage.sipp({
      steps: [
        callerRequest('INVITE', { to: CALLED, from: CALLER, cseq: 1, sdp: true }),
        expectResponse(100, { optional: true }),
        `<recv response="503"><action><ereg regexp="[0-9]+" search_in="hdr" header="Retry-After:" check_it="true" assign_to="later"/><log message="[$later]"/></action></recv>`,
        callerRequest('ACK', { to: CALLED, from: CALLER, cseq: 1, inside: true }),
      ],
      target: `127.0.0.1:${port}`,
    });
    await wentWell(caller);
    expect(offers).toBe(0);
    await stopping.carrier.hangup(going.reference);
    await wentWell(held);
    await stopping.stop();

    const steps = [
      callerRequest('INVITE', { to: CALLED, from: CALLER, cseq: 1, sdp: true }),
      expectResponse(100, { optional: true }),
      expectResponse(503),
      callerRequest('ACK', { to: CALLED, from: CALLER, cseq: 1, inside: true }),
    ];
    await inbound('full', { steps, takes: false }).run(stage);
  });
});
