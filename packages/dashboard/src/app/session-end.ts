import { createStore } from './store.ts';

/** Whether the session ended while its page is open: the page stays, and asks to sign in again above it. */
export const sessionEnd = createStore(false);

let beganAt = Number.NEGATIVE_INFINITY;

/** The page has a session, or needs none, from now on. */
export function beginSession(now = performance.now()): void {
  beganAt = now;
  sessionEnd.set(false);
}

/**
 * A request of this time was refused for want of a session. One that was sent before the person signed in again says nothing about the
 * new session, however late its answer is.
 */
export function noteRefusal(sentAt: number): void {
  if (sentAt >= beganAt) sessionEnd.set(true);
}
