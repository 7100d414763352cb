import type { Clock } from '@parley/kit/time';
import type { Carrier } from './carrier.ts';
import { createListeners } from './listeners.ts';

/** The name of the carrier of calls that no configured carrier can dial. */
export const NONE = 'none';
export const NO_CARRIER = 'No carrier is configured for this number (CARRIERS)';

/** Replaces a carrier that is not configured in this process: each dial fails and says why. */
export function createNoCarrier(clock: Clock): Carrier {
  const listeners = createListeners();
  return {
    name: NONE,
    capabilities: { transfer: false, takeover: 'none', media: 'text' },
    watch: listeners.watch,
    originate: async ({ reference }) => {
      // After the session has recorded that the dial was sent.
      queueMicrotask(() =>
        listeners.emit(reference, {
          type: 'ended',
          legId: null,
          at: clock.now(),
          cause: 'no_carrier',
          answeredAt: null,
          machine: false,
          provider: { code: null, text: NO_CARRIER },
        }),
      );
      return { legId: '', isSent: true };
    },
    receive: () => {},
    answer: async () => {},
    reject: async () => {},
    attach: async () => false,
    detach: () => {},
    hangup: async () => {},
    transfer: () => Promise.reject(new Error(NO_CARRIER)),
    sendDigits: () => Promise.reject(new Error(NO_CARRIER)),
    sendSms: async () => ({ refused: NO_CARRIER }),
    media: () => undefined,
  };
}
