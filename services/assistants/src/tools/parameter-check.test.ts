import { expect, it } from '@jest/globals';
import { createParameterCheck } from './parameter-check.ts';

it('a workspace that has used up its CPU time waits, others do not [trust.1]', () => {
  let now = 0;
  const check = createParameterCheck(
    () => now,
    () => {
      now += 50;
      return [];
    },
  );
  const save = (workspaceId: string) => check(workspaceId, { type: 'object', properties: {} });
  const refusedAfter = (): number => {
    for (let saved = 0; ; saved += 1) {
      try {
        save('greedy');
      } catch (err) {
        expect(err).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 });
        return saved;
      }
    }
  };
  // Two seconds at once, and a tenth of the time since.
  expect(refusedAfter()).toBe(45);
  expect(save('other')).toEqual([]);
  now += 1_000;
  expect(refusedAfter()).toBe(2);
});
