import type { TransferRequest } from '../carrier/port.ts';
import type { CallParts } from './call-parts.ts';

export type TransferResult = { ok: boolean; error: string | null };
type Wanted = Pick<TransferRequest, 'destination' | 'type'>;

/** The call's transfers, one at a time; each is told on its timeline (D6.12). */
export type Transfers = {
  /** Resolves with the carrier's word on it, whenever that comes. */
  request(wanted: Wanted): Promise<TransferResult>;
  /** The carrier's word; nothing when no transfer is under way. */
  settle(ok: boolean): void;
  /** Whether the far end talks to somebody else by now. */
  isDone(): boolean;
};

type Parts = Pick<CallParts, 'deps' | 'call' | 'log' | 'post'>;

export function createTransfers({ deps, call, log, post }: Parts): Transfers {
  let pending: (Wanted & { resolve: (result: TransferResult) => void }) | undefined;
  let isDone = false;

  const settle = (result: TransferResult): void => {
    if (!pending) return;
    const { destination, type, resolve } = pending;
    pending = undefined;
    isDone ||= result.ok;
    const detail = { destination, transfer_type: type, ...result };
    void post({ type: 'told', happening: { type: 'transfer', at: deps.clock.now(), detail } });
    resolve(result);
  };

  return {
    isDone: () => isDone,
    settle: (ok) => settle({ ok, error: ok ? null : 'The destination did not answer' }),
    request: async (wanted) => {
      if (!deps.carrier.capabilities.transfer)
        return { ok: false, error: 'A call of this kind cannot be transferred' };
      if (!(await deps.writes.holds(deps.owner, call())))
        return { ok: false, error: 'The call is in the hands of another worker' };
      if (pending) return { ok: false, error: 'Another transfer is under way' };
      const result = new Promise<TransferResult>((resolve) => {
        pending = { ...wanted, resolve };
      });
      deps.carrier.transfer({ reference: call().id, ...wanted }).catch((err: unknown) => {
        log.warn({ err }, 'the carrier did not take a transfer');
        settle({ ok: false, error: 'The carrier did not take the transfer' });
      });
      return result;
    },
  };
}
