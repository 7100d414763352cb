import type { MediaSession } from './media-session.ts';
import type { Playback } from './playout-queue.ts';

/**
 * Plays a stream of mono PCM chunks as one playback, reading about a second ahead. The stream is ended early when the playback
 * is stopped. An error of the stream ends the playback after what was read, and is passed to `onError`.
 */
export function playStream(
  session: MediaSession,
  chunks: AsyncIterable<Int16Array>,
  options: { sampleRate: number; onError?: (error: unknown) => void },
): Playback {
  const playback = session.play();
  const { sampleRate, onError } = options;
  let over = false;
  void playback.done.then(() => {
    over = true;
  });
  const read = async (): Promise<void> => {
    const iterator = chunks[Symbol.asyncIterator]();
    try {
      while (!over) {
        // A producer that hangs must not outlive the playback.
        const next = await Promise.race([iterator.next(), playback.done]);
        if (!('value' in next) || next.done) break;
        playback.write(next.value, sampleRate);
        await playback.ready();
      }
    } catch (error) {
      onError?.(error);
    } finally {
      playback.end();
      if (over) iterator.return?.().catch(() => undefined);
    }
  };
  void read();
  return playback;
}
