import type { SqlClient } from '@parley/kit/db';

type WithdrawnDial = { callId: string; contactId: string; workspaceId: string };

/** The queue of dial requests, as campaigns use it. */
export type DialQueue = {
  /** From now on no request of the campaign with a lower generation is dialed [campaigns.7]. Gates only rise. */
  raiseGate(tx: SqlClient, campaignId: string, minGeneration: number): Promise<void>;
  /** Withdraws waiting requests below the generation; waits for transactions that are deciding on some of them. */
  withdrawWaiting(tx: SqlClient, campaignId: string, belowGeneration: number): Promise<WithdrawnDial[]>;
  /** The last slot of the campaign's calls that the carrier has not reported on; null: there are none. */
  lastSlot(campaignId: string): Promise<Date | null>;
};
