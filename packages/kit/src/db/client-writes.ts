import { AsyncLocalStorage } from 'node:async_hooks';

/** Runs a transaction when the caller's workspace has a free connection. */
export type TransactionShare = <R>(run: () => Promise<R>) => Promise<R>;

const shares = new AsyncLocalStorage<TransactionShare | undefined>();

/** Runs a client's change; its transactions wait for the workspace's share of connections. */
export function asClientWrite<R>(share: TransactionShare, work: () => R): R {
  return shares.run(share, work);
}

/** Runs a transaction within the share of the current change, if any; a nested transaction uses the slot of the outer one. */
export function withinShare<R>(run: () => Promise<R>): Promise<R> {
  const share = shares.getStore();
  return share ? share(() => shares.run(undefined, run)) : run();
}
