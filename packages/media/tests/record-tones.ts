import { writeSync } from 'node:fs';
import { FRAME_MS } from '../src/audio/frame.ts';
import { createRecorder } from '../src/index.ts';
import { toneOf } from './tone-of.ts';

// Records a call in real time, another tone each second on each channel, until it is killed. Writes a dot for each frame that it has
// recorded, at once: what was written can't be lost with the process.

const [path = '', rate = ''] = process.argv.slice(2);
const sampleRate = Number(rate);
const frameSamples = (sampleRate * FRAME_MS) / 1_000;
const framesPerSecond = 1_000 / FRAME_MS;
const recorder = await createRecorder({
  path,
  sampleRate,
  startedAtMs: 0,
  onError: (error) => {
    throw error;
  },
});
let frames = 0;
setInterval(() => {
  const [second, part] = [Math.floor(frames / framesPerSecond), frames % framesPerSecond];
  for (const side of ['left', 'right'] as const) {
    const samples = toneOf(side, second, sampleRate).slice(part * frameSamples, (part + 1) * frameSamples);
    recorder[side]({ samples, sampleRate, atMs: frames * FRAME_MS, source: 'audio' });
  }
  frames += 1;
  writeSync(1, '.');
}, FRAME_MS);
