import { realTimer } from '@parley/kit/time';
import type { MediaClock } from '@parley/media';

/** Audio is real time, at any rate of the stack's clock. */
export const mediaClock: MediaClock = {
  nowMs: () => performance.timeOrigin + performance.now(),
  timer: realTimer,
};
