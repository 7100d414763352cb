import type { AssistantSnapshot } from '@parley/contracts';
import type { Tx } from '../prisma.ts';

/** What a call needs of its assistant, tool secrets opened. Never logged. */
export type AssistantSnapshots = {
  /**
   * The newest snapshot, or null for an assistant that isn't of the workspace. While assistants is away a copy of up to
   * 10 minutes answers, if nothing newer was heard of; without one it throws `SERVICE_UNAVAILABLE`.
   */
  get(workspaceId: string, agentId: string): Promise<AssistantSnapshot | null>;
};

/** The operator's settings of a workspace [general.5] [general.19]. */
export type WorkspaceLimits = {
  /** Cents a minute. */
  rateCents: number;
  /** Calls at once that are not completed. */
  maxLiveCalls: number;
  /** What tools' requests are signed with [webhooks.7]. Never logged. */
  webhookSecrets: readonly string[];
  /** [trust.24] */
  isSuspended: boolean;
  /** Prefixes of E.164 numbers; empty: any [trust.22]. */
  allowedDestinations: readonly string[];
  /** Of a day (UTC); null: no limit [trust.22]. */
  dailySpendLimitCents: number | null;
};

export type WorkspaceSettings = {
  /** At most a real second old, or the last that is known while the gateway is away; null for an unknown workspace. */
  get(workspaceId: string): Promise<WorkspaceLimits | null>;
};

export type AssistantBrief = {
  agentId: string;
  agentName: string;
  version: number;
  webhookUrl: string | null;
};

export type AssistantBriefs = {
  /** Those of `agentIds` that exist in the workspace, by id. Asks each time; throws `SERVICE_UNAVAILABLE`. */
  find(workspaceId: string, agentIds: readonly string[]): Promise<Map<string, AssistantBrief>>;
};

/** How a carrier judges the account that a number is imported by [numbers.3]. `unreachable`: it did not answer. */
export type AccountVerdict = 'accepted' | 'refused' | 'unreachable';

export type CarrierAccount = { accountSid: string; authToken: string; phoneNumber: string };

/** What was set up for a SIP-trunk number is found by the number's id, whatever is connected by its digits now. */
export type SipTrunk = { numberId: string; phoneNumber: string };

/** The part of the carrier port that numbers need, apart from calls. */
export type CarrierNumbers = {
  /** Whether the credentials hold and the number is the account's. A failure is a value, never a throw. */
  checkAccount(account: CarrierAccount): Promise<AccountVerdict>;
  /** Has the carrier bring calls to the number to us [numbers.9]; idempotent. */
  pointHere(account: CarrierAccount, workspaceId: string): Promise<AccountVerdict>;
  /** Takes down a SIP trunk, if there is one; never what belongs to customers at their own carrier. */
  removeTrunk(trunk: SipTrunk): Promise<void>;
};

/** A campaign that still needs what is about to be deleted. */
type LiveCampaign = { name: string; status: string };

export type CampaignRetirement = {
  /**
   * Keeps campaigns off a number for the next minute, so that it can be deleted, or names the one that can still dial
   * from it. Throws `SERVICE_UNAVAILABLE`.
   */
  retireNumber(workspaceId: string, numberId: string, requestId: string): Promise<Retirement>;
};

type Retirement = {
  campaign: LiveCampaign | null;
  /** Lets campaigns dial from it again before the minute is over, if they can be told; never rejects. */
  lift(): Promise<void>;
};

/** Runs `work` in a transaction, again after a deadlock; messages that it enqueued leave right after the commit. */
export type Transact = <R>(work: (tx: Tx) => Promise<R>) => Promise<R>;
