import { useSyncExternalStore } from 'react';
import type { Playback } from './playback.ts';

/** A value of the player, read again whenever it moves. `read` returns a primitive, so that only changes render. */
export function usePlayback<T extends string | number | boolean>(
  playback: Playback | undefined,
  read: (playback: Playback) => T,
  otherwise: T,
): T {
  return useSyncExternalStore(
    (listener) => playback?.subscribe(listener) ?? (() => undefined),
    () => (playback ? read(playback) : otherwise),
  );
}
