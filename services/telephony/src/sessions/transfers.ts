import { newId } from '@parley/kit/ids';
import type { CallControl, TransferRequest } from '../carriers/call-control.ts';
import type { EventQueue } from './event-queue.ts';
import type { CallWrites, Owner } from './ports.ts';

export type TransferResult = { ok: boolean; error: string | null };
type Destination = Pick<TransferRequest, 'destination' | 'type'>;

/** The call's transfers, one at a time; each is an entry of its timeline [calls.11]. */
export type Transfers = {
  /** Resolves with the result that the carrier reports, or as failed after the timeout. */
  request(destination: Destination): Promise<TransferResult>;
  /** The carrier's result of a transfer, by default of the pending one; ignored when it is not pending. */
  complete(ok: boolean, transferId?: string): void;
  /** The party talks to the destination now. */
  isDone(): boolean;
};

/** Timeout for the carrier's result. Real time, like that of the tool that requests the transfer [tools.11]. */
const TIMEOUT_MS = 30_000;

type Deps = {
  carrier: Pick<CallControl, 'capabilities' | 'transfer'>;
  writes: CallWrites;
  owner: Owner;
  /** Asks the target of a warm transfer; undefined: this worker can't speak. */
  consult?: () => TransferRequest['consult'];
};

export function createTransfers({ carrier, writes, owner, consult }: Deps, queue: EventQueue): Transfers {
  const { call, log, life, clock, post } = queue;
  let pending: { id: string; finish: (result: TransferResult) => void } | undefined;
  let isDone = false;
  const failed = (error: string): TransferResult => ({ ok: false, error });

  const begin = (destination: Destination): Promise<TransferResult> =>
    new Promise((resolve) => {
      const id = newId();
      const finish = (result: TransferResult): void => {
        if (pending?.id !== id) return;
        pending = undefined;
        cancelTimeout();
        isDone ||= result.ok;
        const detail = { destination: destination.destination, transfer_type: destination.type, ...result };
        void post({ type: 'timeline_entry', entry: { type: 'transfer', at: clock.now(), detail } });
        resolve(result);
      };
      const cancelTimeout = life.after(TIMEOUT_MS * clock.rate, () =>
        finish(failed('The carrier reported no result in time')),
      );
      pending = { id, finish };
      const asks = destination.type === 'warm' ? consult?.() : undefined;
      const request = {
        reference: call().id,
        transferId: id,
        ...destination,
        ...(asks ? { consult: asks } : {}),
      };
      carrier.transfer(request).catch((err: unknown) => {
        log.warn({ err }, 'the carrier did not accept a transfer');
        finish(failed('The carrier did not accept the transfer'));
      });
    });

  return {
    isDone: () => isDone,
    complete: (ok, transferId = pending?.id) => {
      if (pending?.id !== transferId) return;
      pending?.finish(ok ? { ok, error: null } : failed('The destination did not answer'));
    },
    request: async (destination) => {
      if (!carrier.capabilities.transfer) return failed('A call of this kind cannot be transferred');
      if (!(await writes.holds(owner, call()))) return failed('Another worker holds the call');
      if (pending) return failed('Another transfer is pending');
      return begin(destination);
    },
  };
}
