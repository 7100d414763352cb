import { expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { createLocalLimiter } from './local-limiter.ts';
import { createFallback, createRedisLimiter } from './redis-limiter.ts';

it('is local during any failure of Redis: every request is counted, every outage logged once', async () => {
  const lines: string[] = [];
  const log = createLogger({
    service: 'gateway',
    level: 'info',
    destination: { write: (line: string) => void lines.push(JSON.parse(line).msg) },
  });
  let counted = 0;
  let failure: Error | undefined;
  const run = async () => {
    if (failure) throw failure;
    return [1, 4, 0, 0];
  };
  const orElse = createFallback(log, () => {
    counted += 1;
  });
  const limiter = createRedisLimiter(run, 'p', createLocalLimiter(), orElse);
  const take = () => limiter.take([{ key: 'w:requests', intervalMs: 60_000, burst: 2 }]);

  expect(await take()).toMatchObject({ allowed: true, remaining: 4 });
  expect([counted, lines]).toEqual([0, []]);
  failure = new Error('WRONGTYPE');
  const verdicts = [await take(), await take(), await take()];
  expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, true, false]);
  expect([counted, lines]).toEqual([3, ['Redis unavailable: limits are local']]);
  failure = undefined;
  await take();
  await take();
  failure = new Error('away');
  await take();
  const [began, ended] = ['Redis unavailable: limits are local', 'Redis available: limits are shared again'];
  expect([counted, lines]).toEqual([4, [began, ended, began]]);
});
