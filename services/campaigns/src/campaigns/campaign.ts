import type { BusinessHours, CampaignStatus } from '@parley/contracts';

/** A stored campaign. Times are of the stack's clock. */
export type Campaign = {
  id: string;
  workspaceId: string;
  name: string;
  agentId: string;
  phoneNumberId: string;
  /** Null once the number is deleted. */
  phoneNumber: string | null;
  status: CampaignStatus;
  /** Raised whenever dialing stops: requests of a lower one must not be dialed anymore. */
  generation: number;
  /** Telephony has not yet confirmed that it withdrew the requests of lower generations. */
  withdrawalPending: boolean;
  totalContacts: number;
  /** The highest id of its contacts, apart from uncommitted ones. */
  lastContactId: string;
  maxRetries: number;
  /** Minutes. */
  retryIntervals: number[];
  businessHours: BusinessHours | null;
  scheduledAt: Date | null;
  /** The time of its next automatic change: its schedule, or when its hours open or close. */
  wakeAt: Date | null;
  startedAt: Date | null;
  completedAt: Date | null;
  /** Time at which its contacts were removed; its counts stay. */
  contactsRemovedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

/** Contacts with their final outcome [campaigns.14]. */
export type Tally = { succeeded: number; failed: number };

/** Every contact has its final outcome. */
export function isDone(campaign: Campaign, tally: Tally): boolean {
  return tally.succeeded + tally.failed >= campaign.totalContacts;
}
