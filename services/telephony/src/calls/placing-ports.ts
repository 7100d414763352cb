import type { Sql } from '@parley/kit/db';

type WithdrawnDial = { callId: string; contactId: string; workspaceId: string };

/** The queue of dial requests, as campaigns look at it. */
export type DialQueue = {
  /** From now on no request of the campaign with a lower generation is granted [campaigns.5]. */
  raiseGate(tx: Sql, campaignId: string, minGeneration: number): Promise<void>;
  /** Takes back what still waits below the generation; what is being granted at this moment is waited for. */
  withdrawWaiting(tx: Sql, campaignId: string, belowGeneration: number): Promise<WithdrawnDial[]>;
  /** When the last dial that was granted to the campaign leaves, if one hasn't left. */
  lastGrantedDial(campaignId: string): Promise<Date | null>;
};
