import type { SqlClient } from '@parley/kit/db';
import type { Call, StopCause } from './call.ts';
import type { Change } from './ports.ts';

export type StoppedCall = { id: string; cause: StopCause };

export type StoppableCalls = {
  /** Removes a single call's request from the dialer's queue; waits for the dialer to decide on it. */
  withdraw(tx: SqlClient, workspaceId: string, callId: string): Promise<void>;
  /** Locks the call until the transaction ends. */
  lock(tx: SqlClient, workspaceId: string, callId: string): Promise<Call | undefined>;
  /** Requests the end from the worker that holds the call; may be repeated. */
  request(tx: SqlClient, call: Call, cause: StopCause, now: Date): Promise<void>;
  /** Ends a call that no worker holds. */
  end(tx: SqlClient, call: Call, change: Change, now: Date): Promise<void>;
};
