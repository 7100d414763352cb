import { describe, it } from '@jest/globals';
import {
  type Codec,
  createMemoryPair,
  createOpusCodec,
  createTicker,
  type MediaSession,
  type NetworkConditions,
} from '../src/index.ts';
import {
  concatenate,
  createManualClock,
  createRandom,
  type MediaSetup,
  mediaSessionContract,
} from '../src/testing/index.ts';

// The contract of media sessions over RTP in memory, on networks and codecs of all kinds.

const STEP_MS = 20;
const PERFECT: NetworkConditions = {};
const ORDINARY: NetworkConditions = { delayMs: 40, jitterMs: 30 };

describe('memory pair, µ-law on a perfect network', () => {
  for (const { name, run } of mediaSessionContract) it(name, () => run(async () => open(PERFECT)));
});

describe('memory pair, µ-law with delay and jitter', () => {
  for (const { name, run } of mediaSessionContract) it(name, () => run(async () => open(ORDINARY)));
});

describe('memory pair, Opus', () => {
  for (const { name, run } of mediaSessionContract) {
    it(name, () =>
      run(async () => {
        const codecs = [await createOpusCodec({ complexity: 0 }), await createOpusCodec({ complexity: 0 })];
        return open(PERFECT, () => codecs.pop() as Codec);
      }),
    );
  }
});

function open(conditions: NetworkConditions, createCodec?: () => Codec): MediaSetup {
  const clock = createManualClock(1_000_000);
  const ticker = createTicker(clock, (error) => {
    throw error;
  });
  const random = createRandom(7);
  const pair = createMemoryPair({ clock, ticker, random, conditions, ...(createCodec && { createCodec }) });
  return {
    session: pair.near,
    far: farEnd(pair.far),
    async pass(ms) {
      for (let left = ms; left > 0; left -= STEP_MS) {
        clock.advance(Math.min(STEP_MS, left));
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    close: pair.close,
  };
}

function farEnd(session: MediaSession): MediaSetup['far'] {
  const heard: Int16Array[] = [];
  let pressed = '';
  session.onFrame(({ samples }) => heard.push(samples));
  session.onDigit((digit) => {
    pressed += digit;
  });
  return {
    sampleRate: session.sampleRate,
    speak(samples) {
      const playback = session.play();
      playback.write(samples, session.sampleRate);
      playback.end();
    },
    heard: () => concatenate(heard),
    press: (digits) => void session.sendDigits(digits),
    pressed: () => pressed,
  };
}
