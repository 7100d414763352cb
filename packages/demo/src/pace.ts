/** Times of the demo's calls in stack time: seconds, and minutes between attempts [assistants.10] [campaigns.12]. */
export type Pace = {
  ringTimeout: number;
  silenceTimeout: number;
  maxCallDuration: number;
  retryMinutes: number;
  callsPerSecond: number;
};

/**
 * As short as a whole conversation allows. A fast clock needs longer times, since the delays of real requests and timers don't
 * speed up.
 */
export function paceFor(clockRate: number): Pace {
  const extra = Math.max(0, clockRate - 1);
  return {
    ringTimeout: Math.min(120, Math.ceil(5 + extra * 3)),
    silenceTimeout: Math.min(600, Math.ceil(6 + extra * 3)),
    maxCallDuration: Math.min(7200, Math.ceil(25 + extra * 10)),
    retryMinutes: 1,
    callsPerSecond: 10,
  };
}
