import { expect, it } from '@jest/globals';
import { createAwaitTranscription } from './await-transcription.ts';

type Outcome = { state: 'waiting' | 'done' };

it('polls once for all requests that wait for the same call [trust.1]', async () => {
  let state: Outcome['state'] = 'waiting';
  const asked: string[] = [];
  const wait = createAwaitTranscription({
    outcome: async (_, callId) => {
      asked.push(callId);
      return { state };
    },
  });
  const waiting = [...Array.from({ length: 50 }, () => wait('workspace', 'a')), wait('workspace', 'b')];
  expect(asked).toEqual(['a', 'b']);
  state = 'done';
  expect(await Promise.all(waiting)).toEqual(Array(51).fill({ state: 'done' }));
  expect(asked.toSorted()).toEqual(['a', 'a', 'b', 'b']);
  expect(await wait('workspace', 'a')).toEqual({ state: 'done' });
  expect(asked).toHaveLength(5);
});
