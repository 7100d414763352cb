import { expect, it } from '@jest/globals';
import { createWakeUp } from './wake-up.ts';

it('createWakeUp calls each listener until it is removed', () => {
  const { wake, onWake } = createWakeUp();
  const calls: string[] = [];
  const remove = onWake(() => calls.push('a'));
  onWake(() => calls.push('b'));
  wake();
  remove();
  wake();
  expect(calls).toEqual(['a', 'b', 'b']);
});
