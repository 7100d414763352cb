import type { AssistantSnapshot } from '@parley/contracts';
import type { Tx } from '../prisma.ts';

/** The assistant of a call with decrypted tool secrets. Never logged. */
export type AssistantSnapshots = {
  /**
   * The newest snapshot, or null for an assistant of another workspace. While assistants is unavailable, a copy of up to 10
   * minutes is used if no newer version is known; without one it throws `SERVICE_UNAVAILABLE`.
   */
  get(workspaceId: string, agentId: string): Promise<AssistantSnapshot | null>;
};

/** The operator's settings of a workspace [general.5] [general.19]. */
export type WorkspaceLimits = {
  /** IANA zone of the workspace's days [analytics.2]. */
  timeZone: string;
  /** ISO 4217 code of its costs. */
  currency: string;
  /** Cents per minute. */
  rateCents: number;
  /** Maximum concurrent calls. */
  maxLiveCalls: number;
  /** Signing secrets for requests of tools [webhooks.7]. Never logged. */
  webhookSecrets: readonly string[];
  /** [trust.24] */
  isSuspended: boolean;
  /** Prefixes of E.164 numbers; empty: any [trust.22]. */
  allowedDestinations: readonly string[];
  /** Per day (UTC); null: no limit [trust.22]. */
  dailySpendLimitCents: number | null;
};

export type WorkspaceSettings = {
  /** At most a real second old, or the last known ones while the gateway is unavailable; null for an unknown workspace. */
  get(workspaceId: string): Promise<WorkspaceLimits | null>;
};

export type AssistantBrief = {
  agentId: string;
  agentName: string;
  version: number;
  webhookUrl: string | null;
};

export type AssistantBriefs = {
  /** The assistants of `agentIds` that exist in the workspace, by id. Not cached; throws `SERVICE_UNAVAILABLE`. */
  find(workspaceId: string, agentIds: readonly string[]): Promise<Map<string, AssistantBrief>>;
};

/** A carrier's verdict on the account of an imported number [numbers.3]. `unreachable`: it did not respond. */
export type AccountVerdict = 'accepted' | 'refused' | 'unreachable';

export type CarrierAccount = { accountSid: string; authToken: string; phoneNumber: string };

/** Identifies the trunk of a SIP number by the number's id, since its digits may have been connected again. */
export type SipTrunk = { numberId: string; phoneNumber: string };

/** The operations of a carrier for numbers. */
export type CarrierNumbers = {
  /** Whether the credentials are valid and the number belongs to the account. A failure is a value, never an exception. */
  checkAccount(account: CarrierAccount): Promise<AccountVerdict>;
  /** Makes the carrier route calls to the number to us [numbers.9]; idempotent. */
  pointHere(account: CarrierAccount, workspaceId: string): Promise<AccountVerdict>;
  /** Removes our SIP trunk, if there is one; changes nothing at the customer's own carrier. */
  removeTrunk(trunk: SipTrunk): Promise<void>;
};

/** A campaign that blocks a deletion. */
type LiveCampaign = { name: string; status: string };

export type CampaignRetirement = {
  /**
   * Blocks new campaigns on a number for the next minute, so that it can be deleted, or returns the campaign that can still
   * dial from it. Throws `SERVICE_UNAVAILABLE`.
   */
  retireNumber(workspaceId: string, numberId: string, requestId: string): Promise<Retirement>;
};

type Retirement = {
  campaign: LiveCampaign | null;
  /** Allows campaigns on it again before the minute is over, if campaigns is reachable; never rejects. */
  lift(): Promise<void>;
};

/** Runs `work` in a transaction, again after a deadlock; enqueued messages are published right after the commit. */
export type Transact = <R>(work: (tx: Tx) => Promise<R>) => Promise<R>;
