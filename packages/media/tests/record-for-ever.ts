import { createRecorder } from '../src/index.ts';

// Records, reports how many milliseconds, and waits to be killed.

const [path = ''] = process.argv.slice(2);
const RATE = 8_000;
const FRAMES = 217;
const recorder = await createRecorder({
  path,
  sampleRate: RATE,
  startedAtMs: 0,
  onError: (error) => {
    throw error;
  },
});
for (let n = 0; n < FRAMES; n += 1) {
  const samples = new Int16Array(RATE / 50).fill(5_000);
  recorder.right({ samples, sampleRate: RATE, atMs: n * 20, source: 'audio' });
}
process.send?.(FRAMES * 20);
setInterval(() => undefined, 1_000);
