/** In real time: from a request to its dial and back takes less than this under load. */
const ROUND_TRIP_SECONDS = 0.5;

export type DialRate = { maxCps: number; isActive: boolean };

/**
 * How many requests of a number telephony may hold undialled (D7.8): what the number dials in a second of the stack,
 * and at a fast clock in a round trip. Enough never to be the brake, and few, so that single calls don't queue behind
 * a campaign. 0 for a number that was switched off: its campaigns wait. A number whose rate isn't known gets one.
 */
export function dialWindow(rate: DialRate | undefined, clockRate: number, most: number): number {
  if (!rate) return 1;
  if (!rate.isActive) return 0;
  const aheadSeconds = Math.max(1, ROUND_TRIP_SECONDS * clockRate);
  return Math.min(Math.max(1, Math.ceil(rate.maxCps * aheadSeconds)), most);
}
