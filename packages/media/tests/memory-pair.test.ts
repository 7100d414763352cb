import { describe, it } from '@jest/globals';
import { type Codec, createMemoryPair, createOpusCodec, type NetworkConditions } from '../src/index.ts';
import {
  createRandom,
  farEnd,
  type MediaSetup,
  manualTime,
  mediaSessionContract,
} from '../src/testing/index.ts';

// The contract of media sessions over RTP in memory, on networks and codecs of all kinds.

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
  const { clock, ticker, pass } = manualTime();
  const random = createRandom(7);
  const pair = createMemoryPair({ clock, ticker, random, conditions, ...(createCodec && { createCodec }) });
  return { session: pair.near, far: farEnd(pair.far), pass, close: pair.close };
}
