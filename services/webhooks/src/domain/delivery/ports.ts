import type { DeliveryReason } from '@parley/contracts';

/** An event that this process has leased for one attempt. */
export type Claim = {
  id: string;
  workspaceId: string;
  agentId: string;
  callId: string;
  /** Raised by the claim: what is recorded under an older one is void. */
  fence: number;
  series: number;
  /** Attempts of the series that were made before. */
  attempts: number;
  body: string;
  /** Since when it could have been attempted. */
  dueAt: Date;
  /** The trace that it is a part of, where traces are kept. */
  traceparent: string | null;
  /** The assistant's current URL; null also once the assistant is deleted. */
  url: string | null;
  /** The endpoint's last attempt had no answer in time. */
  unresponsive: boolean;
};

/** What an attempt leaves behind. */
export type AttemptRecord = {
  url: string;
  startedAt: Date;
  durationMs: number;
  reason: DeliveryReason;
  status: number;
  error: string | null;
  requestHeaders: Record<string, string>;
  response: { headers: Record<string, string>; body: string } | null;
};

/** How an event goes on after an attempt. */
export type NextStep =
  | { status: 'pending'; nextAttemptAt: Date }
  | { status: 'delivered' }
  | { status: 'failed' };

export type DeliveryStore = {
  /** Marks as claimable what has become due by `now`; gives the instant at which something else does. */
  markDue(now: Date): Promise<Date | undefined>;
  /** Makes claimable again what a deliverer that is no more had leased. */
  freeExpired(): Promise<void>;
  /**
   * Leases due events: at most `most`, of them `mostUnresponsive` for endpoints whose last attempt had no answer in time, no
   * more per endpoint and workspace than their caps leave free.
   */
  claim(most: number, mostUnresponsive?: number): Promise<Claim[]>;
  /**
   * The attempt, the event's next step and the release of the call's next event, in one transaction. Where a newer
   * edition has come meanwhile, nothing is tried again: the event ends as `superseded`. False, and nothing is written:
   * somebody else has the event by now.
   */
  record(
    claim: Claim,
    attempt: AttemptRecord | null,
    next: NextStep,
    reason: DeliveryReason,
    now: Date,
  ): Promise<boolean>;
  /** Gives a claim back as if it had never been made: it, or its newer edition, is tried from `at` on. */
  giveBack(claim: Claim, at: Date): Promise<void>;
};

/** The secrets that sign a workspace's webhooks. Rejects while they can't be had. */
export type SigningSecrets = (workspaceId: string) => Promise<string[]>;
