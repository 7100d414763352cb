import type { IncomingResponse, SessionDialog } from 'sip.js/lib/core/index.js';
import { isTransient } from './transient.ts';

const TRANSIENT_TRIES = 6;
/** Includes the tries that wait for the acknowledgement of our answer. */
const MAX_TRIES = 120;
const AGAIN_MS = 500;
const TIMED_OUT = 408;

/**
 * Hangs up an answered leg. Resolves when the far end has responded, or will not; rejects if an edge or a server could not reach the far
 * end.
 */
export function sendBye(session: SessionDialog): Promise<void> {
  return new Promise((resolve, reject) => {
    let refusals = 0;
    const send = (tries: number): void => {
      const again = (): void => {
        if (tries < MAX_TRIES) setTimeout(() => send(tries + 1), AGAIN_MS).unref();
        else reject(new Error('The leg was never acknowledged, and could not be hung up'));
      };
      const onReject = ({ message }: IncomingResponse): void => {
        if (!isTransient(message) || message.statusCode === TIMED_OUT) {
          resolve();
          return;
        }
        refusals += 1;
        // The connection may have been lost with this very message.
        if (refusals < TRANSIENT_TRIES) again();
        else reject(new Error(`A BYE was refused with ${message.statusCode ?? 'no status'}`));
      };
      try {
        session.bye({ onAccept: () => resolve(), onRedirect: () => resolve(), onReject });
      } catch {
        // Not before our answer is acknowledged (RFC 3261, 15).
        again();
      }
    };
    send(0);
  });
}

/** The same as `sendBye`, but never rejects. False: the far end could not be reached. */
export const hangUp = (session: SessionDialog): Promise<boolean> =>
  sendBye(session).then(
    () => true,
    () => false,
  );
