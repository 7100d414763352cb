import { expect, it } from '@jest/globals';
import { createRandom } from '../testing/random.ts';
import { createSampleQueue } from './sample-queue.ts';

it('a sample queue returns what was pushed, in order, in any sizes', () => {
  const random = createRandom(1);
  const queue = createSampleQueue();
  const pushed: number[] = [];
  const shifted: number[] = [];
  for (let round = 0; round < 500; round += 1) {
    const grow = round % 100 < 50 ? 900 : 300;
    const samples = Int16Array.from({ length: Math.floor(random() * grow) }, () => random() * 30_000);
    queue.push(samples);
    pushed.push(...samples);
    shifted.push(...queue.shift(Math.floor(random() * 600)));
    expect(queue.length).toBe(pushed.length - shifted.length);
  }
  expect(shifted).toEqual(pushed.slice(0, shifted.length));
  queue.clear();
  expect(queue.length).toBe(0);
  expect(queue.shift(5)).toHaveLength(0);
});
