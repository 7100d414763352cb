import { describe, expect, it } from '@jest/globals';
import { createMemoryPair, createTicker, type NetworkConditions, playStream } from '../src/index.ts';
import { concatenate, createManualClock, createRandom, shareOf, tone } from '../src/testing/index.ts';

// What the jitter buffer and concealment make of networks, in the time of an injected clock.

const RATE = 8_000;
const HZ = 300;

describe('a call over a network', () => {
  it('has a delay of less than 60 ms without jitter', () => {
    const call = openCall({});
    call.clock.advance(2_000);
    expect(call.delayMs()).toBeLessThanOrEqual(60);
    expect(call.near.stats()).toMatchObject({ packetsLost: 0, packetsLate: 0, concealedMs: 0 });
  });

  it('sounds continuous with 3 % loss and 30 ms of jitter', () => {
    const call = openCall({ delayMs: 50, jitterMs: 30, loss: 0.03 });
    call.clock.advance(2_000);
    const heard = call.listen(10_000);
    expect(medianShare(heard)).toBeGreaterThan(0.95);
    expect(quietMs(heard)).toBeLessThanOrEqual(60);
    const { packetsLost, packetsSent, roundTripMs, remoteLoss } = call.near.stats();
    expect(packetsLost / packetsSent).toBeGreaterThan(0.015);
    expect(packetsLost / packetsSent).toBeLessThan(0.05);
    expect(roundTripMs).toBeGreaterThan(95);
    expect(roundTripMs).toBeLessThan(165);
    expect(remoteLoss).toBeLessThan(0.1);
  });

  it('follows jitter up, and down again when the network has recovered', () => {
    const call = openCall({ delayMs: 50 });
    call.clock.advance(3_000);
    const calm = call.delayMs();
    call.setConditions({ delayMs: 50, jitterMs: 120 });
    call.clock.advance(10_000);
    const rough = call.delayMs();
    call.setConditions({ delayMs: 50 });
    call.clock.advance(20_000);
    expect(rough).toBeGreaterThan(calm + 60);
    expect(rough).toBeLessThan(calm + 240);
    expect(call.delayMs()).toBeLessThanOrEqual(calm + 40);
  });

  it('survives an outage, and counts what was lost', () => {
    const call = openCall({ delayMs: 30 });
    call.clock.advance(2_000);
    call.setConditions({ loss: 1 });
    const during = call.listen(2_000);
    expect(quietMs(during)).toBeGreaterThan(1_800);
    call.setConditions({ delayMs: 30 });
    call.clock.advance(500);
    expect(quietMs(call.listen(2_000))).toBe(0);
    expect(call.near.stats().packetsLost).toBeGreaterThanOrEqual(99);
  });

  it('recognizes each key once with 20 % loss', async () => {
    const call = openCall({ delayMs: 30, jitterMs: 40, loss: 0.2 });
    let pressed = '';
    call.near.onDigit((digit) => {
      pressed += digit;
    });
    const over = call.far.sendDigits('0123456789*#00');
    call.clock.advance(5_000);
    await over;
    expect(pressed).toBe('0123456789*#00');
  });
});

describe('playStream', () => {
  it('reads about a second ahead, and stops the stream with the playback', async () => {
    const call = openCall({});
    let produced = 0;
    let returned = false;
    async function* chunks(): AsyncGenerator<Int16Array> {
      try {
        for (;;) {
          produced += 1;
          yield tone(HZ, 100, 16_000);
        }
      } finally {
        returned = true;
      }
    }
    const playback = playStream(call.near, chunks(), { sampleRate: 16_000 });
    await settle();
    expect(produced).toBeLessThan(20);
    for (let n = 0; n < 20; n += 1) {
      call.clock.advance(100);
      await settle();
    }
    expect(produced).toBeGreaterThan(25);
    expect(produced).toBeLessThan(40);
    playback.stop();
    await settle();
    expect(returned).toBe(true);
    expect(await playback.done).toMatchObject({ interrupted: true });
  });

  it('plays what came before an error', async () => {
    const call = openCall({});
    const errors: unknown[] = [];
    async function* chunks(): AsyncGenerator<Int16Array> {
      yield tone(HZ, 100, RATE);
      throw new Error('synthesis failed');
    }
    const playback = playStream(call.near, chunks(), {
      sampleRate: RATE,
      onError: (error) => errors.push(error),
    });
    await settle();
    call.clock.advance(300);
    expect(await playback.done).toEqual({ playedMs: 100, interrupted: false });
    expect(errors).toEqual([new Error('synthesis failed')]);
  });
});

async function settle(): Promise<void> {
  for (let n = 0; n < 5; n += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A call whose far end hums, with a loud click every second. */
function openCall(conditions: NetworkConditions) {
  const clock = createManualClock(1_000_000);
  const ticker = createTicker(clock, (error) => {
    throw error;
  });
  const pair = createMemoryPair({ clock, ticker, random: createRandom(11), conditions });
  const hum = tone(HZ, 20, RATE, 4_000);
  const click = tone(1_000, 20, RATE, 30_000);
  let frames = 0;
  let clickedAtMs = 0;
  let delayMs = Number.POSITIVE_INFINITY;
  pair.far.addSource(() => {
    frames += 1;
    if (frames % 50 !== 0) return hum;
    clickedAtMs = clock.nowMs();
    return click;
  });
  pair.near.onFrame(({ samples }) => {
    if (clickedAtMs > 0 && samples.some((sample) => sample > 15_000)) {
      delayMs = clock.nowMs() - clickedAtMs;
      clickedAtMs = 0;
    }
  });
  return {
    ...pair,
    clock,
    /** From sending to hearing, without the 20 ms of the frame itself. */
    delayMs: () => delayMs,
    listen(ms: number): Int16Array {
      const blocks: Int16Array[] = [];
      const stop = pair.near.onFrame(({ samples }) => blocks.push(samples));
      clock.advance(ms);
      stop();
      return concatenate(blocks);
    },
  };
}

/** How pure the hum is in 60 ms, in the median. */
function medianShare(samples: Int16Array): number {
  const shares = [];
  for (let start = 0; start + 480 <= samples.length; start += 480) {
    shares.push(shareOf(HZ, samples.subarray(start, start + 480), RATE));
  }
  return shares.sort((a, b) => a - b)[Math.floor(shares.length / 2)] ?? 0;
}

/** Milliseconds of 10 ms blocks that are much softer than the hum. */
function quietMs(samples: Int16Array): number {
  let quiet = 0;
  for (let start = 0; start + 80 <= samples.length; start += 80) {
    if (samples.subarray(start, start + 80).every((sample) => Math.abs(sample) < 800)) quiet += 10;
  }
  return quiet;
}
