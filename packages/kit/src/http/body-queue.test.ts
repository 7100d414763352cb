import { expect, it } from '@jest/globals';
import { monotonicMs } from '../time/index.ts';
import { createBodyQueue } from './body-queue.ts';

const LARGE = 1024 ** 2;
const WORK_MS = 20;

function work(): number {
  const beganMs = monotonicMs();
  while (monotonicMs() - beganMs < WORK_MS);
  return beganMs;
}

it('large bodies of a workspace are parsed one after the other with a rest; others do not wait [trust.1]', async () => {
  const queue = createBodyQueue();
  const greedy = Array.from({ length: 3 }, () => queue.run('greedy', LARGE, work));
  const small = queue.run('greedy', 1_000, work);
  const other = queue.run('other', LARGE, work);
  const [first = 0, second = 0, third = 0] = await Promise.all(greedy);
  for (const begun of [await small, await other]) expect(begun).toBeLessThan(second);
  expect(second - first).toBeGreaterThanOrEqual(4 * WORK_MS);
  expect(third - second).toBeGreaterThanOrEqual(4 * WORK_MS);
});

it('a refused body releases the queue', async () => {
  const queue = createBodyQueue();
  const refused = queue.run('greedy', LARGE, () => {
    throw new Error('not JSON');
  });
  await expect(refused).rejects.toThrow('not JSON');
  expect(await queue.run('greedy', LARGE, () => 'parsed')).toBe('parsed');
});
