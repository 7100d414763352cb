export { type Clock, createClock } from './clock.ts';
export { toIsoMicros, toIsoMillis } from './iso.ts';
export { monotonicMs, realNow, realSleep, realTimer, withDeadline } from './real-time.ts';
export { zoneOffsetMs } from './zone.ts';
