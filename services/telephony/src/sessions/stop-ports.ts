import type { Sql } from '@parley/kit/db';
import type { Call } from './call.ts';
import type { Change } from './ports.ts';

export type StoppableCalls = {
  /** Removes a single call's request from the dialer's queue; waits for a grant in progress. */
  withdraw(tx: Sql, workspaceId: string, callId: string): Promise<void>;
  /** Locks the call until the transaction ends. */
  lock(tx: Sql, workspaceId: string, callId: string): Promise<Call | undefined>;
  /** Requests the end from the worker that holds the call; may be repeated. */
  request(tx: Sql, call: Call, now: Date): Promise<void>;
  /** Ends a call that no worker holds. */
  end(tx: Sql, call: Call, change: Change, now: Date): Promise<void>;
};
