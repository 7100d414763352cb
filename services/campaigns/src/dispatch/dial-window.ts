/** How far requests are ahead of their slots, so that no slot is unused, even while a process restarts (stack time). */
const AHEAD_SECONDS = 3;
/** Real time from a request to the update about its dial, under load. */
const ROUND_TRIP_SECONDS = 0.5;

export type DialRate = { maxCps: number; isActive: boolean };

/**
 * How many requests of a number telephony may hold undialed [campaigns.10]: what the number dials in three seconds of the
 * stack, or at a fast clock in a round trip. Enough never to slow it down, and few, so that single calls don't queue behind
 * a campaign. 0 for an inactive number, 1 where the rate isn't known.
 */
export function dialWindow(rate: DialRate | undefined, clockRate: number, max: number): number {
  if (!rate) return 1;
  if (!rate.isActive) return 0;
  const aheadSeconds = Math.max(AHEAD_SECONDS, ROUND_TRIP_SECONDS * clockRate);
  return Math.min(Math.max(1, Math.ceil(rate.maxCps * aheadSeconds)), max);
}
