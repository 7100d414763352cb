import { AsyncLocalStorage } from 'node:async_hooks';
import { causesOf } from '../errors/index.ts';

const clientReads = new AsyncLocalStorage<true>();

/** Runs a client's read: its statements use the pool for client reads, which cancels slow ones. */
export function asClientRead<R>(work: () => R): R {
  return clientReads.run(true, work);
}

export function isClientRead(): boolean {
  return clientReads.getStore() === true;
}

/** The size of the pool for client reads, given the size of the main pool. */
export function readConnectionsOf(pool: number): number {
  return Math.max(1, Math.floor(pool / 2));
}

/** Whether Postgres cancelled a statement that exceeded `statement_timeout`. */
export function isStatementTimeout(err: unknown): boolean {
  return [...causesOf(err)].some(({ code, originalCode }) => [code, originalCode].includes('57014'));
}
