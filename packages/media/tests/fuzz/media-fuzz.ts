import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { fuzz } from './fuzz.ts';

// `npm run chaos -- media-fuzz`: CHAOS_PACKETS (1,000,000) malformed RTP, RTCP and Opus packets, from CHAOS_SEED. Fails if anything
// throws, a frame has a wrong length, or memory grows after the first tenth.

const PACKETS = Number(process.env.CHAOS_PACKETS ?? 1_000_000);
const SEED = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 31));
const MAX_GROWTH_MIB = 8;
const MIB = 1_024 * 1_024;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
const began = performance.now();
const sizes: number[] = [];

console.log(`CHAOS_SEED=${SEED} CHAOS_PACKETS=${PACKETS}`);
const result = await fuzz({ packets: PACKETS, seed: SEED }, (share) => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  sizes.push((heapUsed + external) / MIB);
  console.log(`${Math.round(share * 100)} %  ${sizes.at(-1)?.toFixed(1)} MiB in use`);
});
const growth = Math.max(...sizes.slice(1)) - (sizes[0] ?? 0);
const ok = result.badFrames === 0 && growth <= MAX_GROWTH_MIB;
console.log(
  `${result.used} packets used, ${result.refused} refused; Opus: ${result.decoded} decoded, ${result.undecodable} refused; ` +
    `${((performance.now() - began) / 1_000).toFixed(0)} s`,
);
console.log(
  `no exception; wrong frames: ${result.badFrames} (bar 0); most audio held: ${result.maxBufferMs.toFixed(0)} ms; ` +
    `growth: ${growth.toFixed(1)} MiB (bar ${MAX_GROWTH_MIB}): ${ok ? 'met' : 'MISSED'}`,
);
process.exitCode = ok ? 0 : 1;
