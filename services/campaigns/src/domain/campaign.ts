import type { BusinessHours, CampaignStatus } from '@parley/contracts';

/** A campaign as it is stored. Instants are of the stack's clock (D9). */
export type Campaign = {
  id: string;
  workspaceId: string;
  name: string;
  agentId: string;
  phoneNumberId: string;
  /** Null once the number is gone (D5.4). */
  phoneNumber: string | null;
  status: CampaignStatus;
  /** Raised whenever dialling stops: dial requests of a lower one are not to be dialled any more. */
  generation: number;
  /** Telephony has not yet confirmed that it took back the requests of lower generations. */
  withdrawalOwed: boolean;
  totalContacts: number;
  /** No contact has a higher id, but those that are being written. */
  lastContactId: string;
  maxRetries: number;
  /** Minutes. */
  retryIntervals: number[];
  businessHours: BusinessHours | null;
  scheduledAt: Date | null;
  /** When it moves by itself next: its schedule, or the next edge of its hours. */
  wakeAt: Date | null;
  startedAt: Date | null;
  completedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

/** Contacts with their final outcome (D7.4). */
export type Tally = { succeeded: number; failed: number };

/** Every contact has its final outcome. */
export function isDone(campaign: Campaign, tally: Tally): boolean {
  return tally.succeeded + tally.failed >= campaign.totalContacts;
}
