import type { Clock } from '@parley/kit/time';
import type { CallControl } from './call-control.ts';
import type { Carrier } from './carrier.ts';
import { createListeners, type Listeners } from './listeners.ts';

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
    originate: refuseDials(listeners, clock, NO_CARRIER),
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

/** `originate` of a carrier that cannot dial. */
export function refuseDials(
  { emit }: Pick<Listeners, 'emit'>,
  clock: Clock,
  reason: string,
): CallControl['originate'] {
  return async ({ reference }) => {
    // After the session has recorded that the dial was sent.
    queueMicrotask(() =>
      emit(reference, {
        type: 'ended',
        legId: null,
        at: clock.now(),
        cause: 'no_carrier',
        answeredAt: null,
        machine: false,
        provider: { code: null, text: reason },
      }),
    );
    return { legId: '', isSent: true };
  };
}
