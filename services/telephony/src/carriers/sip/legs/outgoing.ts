import { createDeferred } from '@parley/kit/concurrency';
import type { Flow } from '../signalling/flow.ts';
import type { DialRequest } from './open-route.ts';

/**
 * The steps of the first INVITE:
 *
 *   storing → connecting → left
 *      └──────────┴──────→ held     it is no longer wanted, or its state could not be stored
 */
export type Outgoing = {
  step: 'storing' | 'connecting' | 'left' | 'held';
  /** It is no longer wanted. */
  isTooLate(): boolean;
  /** The call was hung up before an answer. */
  isCancelled: boolean;
  /** A later INVITE, with credentials or to another server, did not leave because its state could not be stored. */
  isNotStored: boolean;
  /** False: it was held back. */
  left: Promise<boolean>;
  report(left: boolean): void;
  /** Waits for the stored state and the connection; rejects if the INVITE must not leave. */
  beforeInvite(stored: Promise<void>): Promise<void>;
};

export function createOutgoing(
  flow: Pick<Flow, 'ensureConnected'>,
  { mayLeave }: Pick<DialRequest, 'mayLeave'>,
): Outgoing {
  const { promise: left, resolve: report } = createDeferred<boolean>();
  let latest = 0;
  const outgoing: Outgoing = {
    isTooLate: () => mayLeave?.() === false,
    ...{ step: 'storing', isCancelled: false, isNotStored: false, left, report },
    async beforeInvite(stored) {
      latest += 1;
      const own = latest;
      await stored.catch((err: unknown) => {
        outgoing.isNotStored = true;
        throw err;
      });
      // Storing took longer than the transaction, and another server is being tried.
      if (own !== latest) throw new Error('Another INVITE has taken its place');
      if (outgoing.step === 'storing') outgoing.step = 'connecting';
      // Once it is too late, a connection that fails is not a failed call either.
      await flow.ensureConnected().finally(() => {
        if (outgoing.step === 'connecting' && outgoing.isTooLate()) outgoing.step = 'held';
      });
      if (own !== latest || outgoing.isCancelled || outgoing.step === 'held')
        throw new Error('The INVITE was held back');
      outgoing.step = 'left';
      report(true);
    },
  };
  return outgoing;
}
