import { describe, expect, it } from '@jest/globals';
import {
  type Address,
  type Channel,
  conference,
  createALawCodec,
  createMemoryPair,
  createMuLawCodec,
  createRtpLine,
  createTicker,
  encodeMuLaw,
} from '../src/index.ts';
import { parseRtp, serializeRtp } from '../src/rtp/packet.ts';
import {
  audibleMs,
  concatenate,
  createManualClock,
  createRandom,
  shareOf,
  tone,
} from '../src/testing/index.ts';

const RATE = 8_000;
const HZ = 300;
const FAR: Address = { address: '192.0.2.1', port: 4_000 };
const FOREIGN: Address = { address: '198.51.100.9', port: 666 };

describe('createRtpLine', () => {
  it.each([10, 20, 30, 40, 60])('plays packets of %i ms', (packetMs) => {
    const call = openLine();
    const units = packetMs * 8;
    const blocks: Int16Array[] = [];
    const signal = tone(HZ, 2_400, RATE);
    for (let at = 0; at < 2_400; at += 10) {
      if (at % packetMs === 0) {
        const payload = encodeMuLaw(signal.subarray(at * 8, at * 8 + units));
        call.receive({ payload, sequence: at / packetMs, timestamp: at * 8 });
      }
      if (at % 20 === 0) blocks.push(call.line.receive(call.clock.nowMs()).samples);
      call.clock.advance(10);
    }
    const heard = concatenate(blocks);
    expect(audibleMs(heard, RATE)).toBeGreaterThan(2_200);
    expect(shareOf(HZ, heard.subarray(8_000, 8_400), RATE)).toBeGreaterThan(0.95);
    expect(call.line.stats()).toMatchObject({ packetsLost: 0, packetsLate: 0, packetsRejected: 0 });
    expect(call.line.stats().concealedMs).toBeLessThanOrEqual(60);
  });

  it('continues with another source of the same address, as after a transfer', () => {
    const call = openLine();
    call.speak(50, { ssrc: 1 });
    const after = call.speak(50, { ssrc: 2, sequence: 40_000, timestamp: 3_000_000_000 });
    expect(audibleMs(after.subarray(RATE / 4), RATE)).toBeGreaterThan(700);
    // The first two could be a third party's: the stream before had not stopped yet.
    expect(call.line.stats()).toMatchObject({ packetsReceived: 98, packetsRejected: 2, packetsLost: 0 });
  });

  it('reports another source once, and not the first one, nor packets that it rejects [sip.9]', () => {
    const call = openLine();
    call.speak(10, { ssrc: 1 });
    call.receive({ payload: new Uint8Array(160), sequence: 500, timestamp: 80_000, ssrc: 2 });
    call.receive({ payload: new Uint8Array(160), sequence: 11, timestamp: 1_760, ssrc: 3 }, FOREIGN);
    expect(call.newSources()).toBe(0);
    call.speak(10, { ssrc: 2, sequence: 40_000, timestamp: 3_000_000_000 });
    expect(call.newSources()).toBe(1);
  });

  it('rejects foreign addresses, other payload types, its own packets and garbage', () => {
    const call = openLine();
    call.speak(5);
    const own = parseRtp(call.sent.at(-1)?.bytes ?? new Uint8Array())?.ssrc ?? 0;
    call.receive({ payload: new Uint8Array(160), sequence: 6, timestamp: 960 }, FOREIGN);
    call.receive({ payload: new Uint8Array(160), sequence: 6, timestamp: 960, payloadType: 96 });
    call.receive({ payload: new Uint8Array(160), sequence: 6, timestamp: 960, ssrc: own });
    call.deliver(Uint8Array.of(1, 2, 3), 'rtp', FAR);
    call.deliver(Uint8Array.of(1, 2, 3), 'rtcp', FAR);
    expect(call.line.stats()).toMatchObject({ packetsReceived: 5, packetsRejected: 5 });
  });

  it('fills the silence of the far end with the noise that it describes', () => {
    const call = openLine();
    call.speak(10);
    call.receive({ payload: Uint8Array.of(40), sequence: 11, timestamp: 1_760, payloadType: 13 });
    call.frames(10);
    const silence = call.frames(50);
    const peak = silence.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    expect(peak).toBeGreaterThan(100);
    expect(peak).toBeLessThan(1_000);
  });

  it('sends nothing until it knows the destination, and reports and leaves over RTCP on the next port', () => {
    const call = openLine({ remote: undefined });
    call.frames(10);
    expect(call.sent).toHaveLength(0);
    call.speak(300);
    call.line.close();
    call.line.close();
    const reports = call.sent.filter(({ channel }) => channel === 'rtcp');
    expect(reports.length).toBeGreaterThanOrEqual(2);
    expect(reports.at(-1)?.to).toEqual({ address: FAR.address, port: FAR.port + 1 });
    expect(call.sent.find(({ channel }) => channel === 'rtp')?.to).toEqual(FAR);
  });

  it('sends no keys without a negotiated payload type', () => {
    expect(() => openLine().line.sendDigit('1', 100)).toThrow('has not negotiated');
  });

  it('leaves a gap in its timestamps where ticks were skipped', () => {
    const call = openLine();
    const audio = new Int16Array(160);
    for (const dueMs of [0, 20, 500]) call.line.send(audio, dueMs);
    const [first, second, third] = call.sent.map(({ bytes }) => parseRtp(bytes));
    const distance = (a = 0, b = 0): number => (b - a + 2 ** 32) % 2 ** 32;
    expect(distance(first?.timestamp, second?.timestamp)).toBe(160);
    expect(distance(second?.timestamp, third?.timestamp)).toBe(480 * 8);
    expect([first?.marker, second?.marker, third?.marker]).toEqual([true, false, true]);
    expect(distance(second?.sequence, third?.sequence) % 65_536).toBe(1);
  });
});

describe('conference', () => {
  it('lets each of three hear the other two, until it ends', () => {
    const clock = createManualClock();
    const ticker = createTicker(clock, (error) => {
      throw error;
    });
    const random = createRandom(4);
    const pairs = [400, 700, 1_100].map((hz) => {
      const pair = createMemoryPair({ clock, ticker, random, createCodec: createALawCodec });
      pair.far.addSource(() => tone(hz, 20, RATE, 6_000));
      const heard: Int16Array[] = [];
      pair.far.onFrame(({ samples }) => heard.push(samples));
      return { hz, pair, heard };
    });
    const end = conference(pairs.map(({ pair }) => pair.near));
    clock.advance(1_000);
    for (const { hz: own, heard } of pairs) {
      const settled = concatenate(heard).subarray(RATE / 2);
      for (const { hz } of pairs) {
        const share = shareOf(hz, settled, RATE);
        if (hz === own) expect(share).toBeLessThan(0.01);
        else expect(share).toBeGreaterThan(0.3);
      }
    }
    end();
    clock.advance(500);
    for (const { heard } of pairs) heard.length = 0;
    clock.advance(500);
    for (const { heard } of pairs) expect(audibleMs(concatenate(heard), RATE)).toBe(0);
  });
});

type Fields = {
  payload: Uint8Array;
  sequence: number;
  timestamp: number;
  ssrc?: number;
  payloadType?: number;
};

function openLine({ remote }: { remote: Address | undefined } = { remote: FAR }) {
  const clock = createManualClock(1_000_000);
  let newSources = 0;
  const sent: { bytes: Uint8Array; channel: Channel; to: Address }[] = [];
  let deliver: (bytes: Uint8Array, channel: Channel, from: Address) => void = () => undefined;
  const line = createRtpLine({
    transport: {
      send: (bytes, channel, to) => void sent.push({ bytes, channel, to }),
      onPacket(listener) {
        deliver = listener;
      },
      close: () => undefined,
    },
    codec: createMuLawCodec(),
    payloadType: 0,
    cname: 'test',
    nowMs: clock.nowMs,
    random: createRandom(8),
    ...(remote && { remote }),
    onNewSource: () => {
      newSources += 1;
    },
  });
  const receive = ({ ssrc = 1, payloadType = 0, ...packet }: Fields, from = FAR): void =>
    deliver(serializeRtp({ ...packet, ssrc, payloadType, marker: false }), 'rtp', from);
  const frame = (): Int16Array => {
    const { samples } = line.receive(clock.nowMs());
    line.send(new Int16Array(160), clock.nowMs());
    clock.advance(20);
    return samples;
  };
  return {
    clock,
    line,
    sent,
    newSources: () => newSources,
    receive,
    deliver: (bytes: Uint8Array, channel: Channel, from: Address) => deliver(bytes, channel, from),
    /** What is heard while nothing arrives. */
    frames: (count: number) => concatenate(Array.from({ length: count }, frame)),
    /** What is heard while the far end sends this many packets of a tone. */
    speak(count: number, { ssrc = 1, sequence = 0, timestamp = 0 } = {}) {
      const payload = encodeMuLaw(tone(HZ, 20, RATE));
      return concatenate(
        Array.from({ length: count }, (_, n) => {
          receive({ payload, sequence: sequence + n, timestamp: timestamp + n * 160, ssrc });
          return frame();
        }),
      );
    },
  };
}
