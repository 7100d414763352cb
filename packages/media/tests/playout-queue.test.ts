import { describe, expect, it } from '@jest/globals';
import { createPlayoutQueue } from '../src/session/playout-queue.ts';

describe('a queue of playbacks', () => {
  it('an unsupported rate fails where it is written, and not when it is played', () => {
    const queue = createPlayoutQueue(8_000);
    const playback = queue.open();
    playback.write(new Int16Array(160), 8_000);
    expect(() => playback.write(new Int16Array(160), 11)).toThrow(RangeError);
    playback.write(new Int16Array(320), 16_000);
    expect(queue.pull(400)).toHaveLength(320);
    expect(playback.bufferedMs).toBe(0);
  });
});
