import { expect, it } from '@jest/globals';
import { audioCallsOn } from './audio-calls.ts';

it.each([
  [1, 20],
  [2, 40],
  [64, 40],
])(
  'a worker on a machine with %i cores carries %i spoken calls: 20 a core, as long as one thread can [running.13]',
  (cores, calls) => {
    expect(audioCallsOn(cores)).toBe(calls);
  },
);
