import type { Sql } from '@parley/kit/db';
import type { Call } from '../calls/call.ts';
import type { Change } from '../calls/ports.ts';

export type StoppableCalls = {
  /** Takes a single call's request out of the dialer's queue, if it waits there; waits for a grant that is under way. */
  withdraw(tx: Sql, workspaceId: string, callId: string): Promise<void>;
  /** Holds the call until the transaction ends. */
  lock(tx: Sql, workspaceId: string, callId: string): Promise<Call | undefined>;
  /** Has the worker that holds the call end it; may be repeated. */
  request(tx: Sql, call: Call, now: Date): Promise<void>;
  /** Ends a call that is in no worker's hands. */
  end(tx: Sql, call: Call, change: Change, now: Date): Promise<void>;
};
