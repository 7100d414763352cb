import { describe, expect, it } from '@jest/globals';
import { createAudioQueue } from './audio-queue.ts';

const chunk = (length: number): Int16Array => new Int16Array(length);

describe('audio queue', () => {
  it('pauses its source beyond the maximum, and resumes it when the reader has caught up', async () => {
    const changes: boolean[] = [];
    const queue = createAudioQueue(1_000, (isFull) => changes.push(isFull));
    for (let i = 0; i < 3; i += 1) queue.push(chunk(400));
    expect(changes).toEqual([true]);
    const audio = queue.read(new AbortController().signal);
    await audio.next();
    expect(changes).toEqual([true, false]);
    queue.end();
    await audio.next();
    await audio.next();
    expect(await audio.next()).toEqual({ done: true, value: undefined });
  });

  it('returns what was received before a failure, then fails', async () => {
    const queue = createAudioQueue(1_000, () => {});
    queue.push(chunk(1));
    queue.fail(new Error('broken off'));
    const audio = queue.read(new AbortController().signal);
    expect((await audio.next()).value).toHaveLength(1);
    await expect(audio.next()).rejects.toThrow('broken off');
  });

  it('stops waiting when the signal aborts', async () => {
    const stop = new AbortController();
    const waiting = createAudioQueue(1_000, () => {})
      .read(stop.signal)
      .next();
    stop.abort(new Error('barge-in'));
    await expect(waiting).rejects.toThrow('barge-in');
  });
});
