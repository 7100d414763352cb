/** Of G.711, voice activity and recording: docs/voice.md says what they take. */
const CALLS_PER_CORE = 20;
/** All calls of a worker run in one thread, so it can't use more than that. */
const MAX_CALLS = 40;

/** How many spoken calls a worker carries by default on a machine with these cores. */
export function audioCallsOn(cores: number): number {
  return Math.min(MAX_CALLS, cores * CALLS_PER_CORE);
}
