import { randomInt } from 'node:crypto';

/** The response to a re-INVITE that crosses one of the far end. */
export const GLARE = 491;

const UNIT_MS = 10;

/**
 * How long a re-INVITE waits after a glare (RFC 3261, 14.1): 2.1 to 4 seconds if the Call-ID is ours, otherwise up to 2, so that it doesn't
 * cross that of the far end again.
 */
export const glareDelayMs = (isCallIdOurs: boolean): number =>
  UNIT_MS * (isCallIdOurs ? randomInt(210, 401) : randomInt(0, 201));
