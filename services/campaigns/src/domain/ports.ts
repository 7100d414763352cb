import type { CampaignStatus, ContactInput, ContactStatus, NumberCircuit } from '@parley/contracts';
import type { Sql } from '@parley/kit/db';
import type { News } from './advance-attempt.ts';
import type { CampaignChange } from './apply-move.ts';
import type { Campaign, Tally } from './campaign.ts';
import type { DialRate } from './dial-window.ts';
import type { Ended } from './judge-outcome.ts';

export type Page<Item> = { items: Item[]; total: number };

export type CampaignFilter = {
  workspaceId: string;
  status?: CampaignStatus | undefined;
  agentId?: string | undefined;
  /** Part of the name, in any case. */
  search?: string | undefined;
  limit: number;
  offset: number;
};

/** A contact as clients see it (D7.6). */
export type ContactView = {
  id: string;
  phoneNumber: string;
  contactName: string | null;
  customData: Record<string, unknown>;
  status: ContactStatus;
  attempts: number;
  lastCallId: string | null;
  lastOutcome: string | null;
  nextAttemptAt: Date | null;
};

/** What the contacts of a campaign wait for. `requested`: telephony has been asked, and has not dialled them yet. */
export type WaitingContacts = Record<
  | 'total'
  | 'pending'
  | 'retryDue'
  | 'retryLater'
  | 'requested'
  | 'dialing'
  | 'inProgress'
  | 'succeeded'
  | 'failed',
  number
> & { nextRetryAt: Date | null };

/** Decides on a locked campaign; null changes nothing. Pure: it may run again. */
export type Decide = (campaign: Campaign, tally: Tally) => Partial<CampaignChange> | null;

export type CampaignStore = {
  insert(tx: Sql, campaign: Campaign): Promise<void>;
  /** Its status, which stays until `tx` ends; undefined where the workspace has no such campaign. */
  holdStatus(tx: Sql, workspaceId: string, id: string): Promise<CampaignStatus | undefined>;
  /** Counts contacts that were added; gives how many there are. */
  grow(tx: Sql, more: { id: string; added: number; lastId: string; now: Date }): Promise<number>;
  find(workspaceId: string, id: string): Promise<{ campaign: Campaign; tally: Tally } | undefined>;
  list(filter: CampaignFilter): Promise<Page<{ campaign: Campaign; tally: Tally }>>;
  contacts(
    campaign: Campaign,
    page: { status?: ContactStatus | undefined; limit: number; offset: number },
  ): Promise<Page<ContactView>>;
  waiting(campaignId: string, now: Date): Promise<WaitingContacts>;
  /** All contacts in the order of the list, some at a time, as they are when it is their turn. */
  everyContact(campaign: Campaign): AsyncGenerator<ContactView[]>;
  /** Locks, decides and writes in one transaction; gives what is stored then. With a workspace, only one of its own. */
  change(
    where: { id: string; workspaceId?: string },
    decide: Decide,
  ): Promise<{ campaign: Campaign; tally: Tally } | undefined>;
  /** Decides on campaigns whose `wakeAt` has come and that nobody holds, and writes all in one transaction. */
  moveDue(now: Date, limit: number, decide: Decide): Promise<Campaign[]>;
  /** Ids of running and dormant campaigns in which every contact has its outcome; of those given, or of all. */
  done(limit: number, ids?: string[]): Promise<string[]>;
  /** Some, in no order: one that cannot be made is in nobody's way. */
  owingWithdrawal(limit: number): Promise<Withdrawal[]>;
  /** Only if no newer withdrawal has come to be owed meanwhile. */
  withdrawalDone(id: string, generation: number): Promise<void>;
  forgetNumber(phoneNumberId: string, now: Date): Promise<void>;
};

/** Requests of a campaign that telephony is to take back: those of a lower generation. */
export type Withdrawal = Pick<Campaign, 'id' | 'workspaceId' | 'status' | 'generation'>;

/** How many contacts of an upload are stored; none of them has a higher id than the last. */
export type WrittenContacts = { count: number; lastId: string };

/**
 * Writes contacts, once they have all come, and what `finish` writes, in one transaction; a failure anywhere leaves
 * nothing (D7.2). `finish` comes last, and is short: it may hold what others wait for.
 */
export type ImportContacts = <T>(
  upload: {
    campaignId: string;
    /** Nobody knows of the campaign yet: these are its only contacts. */
    isNew: boolean;
    skipDuplicates: () => boolean;
    /** What it is called when the database refuses. */
    failure: 'CREATE_FAILED' | 'CONTACTS_INSERT_FAILED';
    finish: (tx: Sql, written: WrittenContacts) => Promise<T>;
  },
  contacts: AsyncIterable<ContactInput[]>,
) => Promise<T>;

/** A number with work to hand out, and how many requests telephony has of it that it has not dialled. */
export type BusyNumber = { phoneNumberId: string; outstanding: number };

/**
 * Claims, at once or not at all, for numbers by their windows: up to what is free of each, fairly over its campaigns;
 * gives how many. A number that another replica claims for at this moment is left to it.
 */
export type ClaimDials = (windows: ReadonlyMap<string, number>, now: Date) => Promise<number>;

export type OpenAttempt = { id: string; newsAt: Date };

/**
 * What became of news: nothing, when it is old or of nobody we know. `isFinal`: the contact has its outcome now.
 * `gaveCredit`: telephony holds one undialled request less.
 */
export type Settled = { campaignId: string; isFinal: boolean; gaveCredit: boolean } | undefined;

export type AttemptStore = {
  /** At once or not at all. News that was heard before changes nothing: an attempt only moves forward. */
  settle(callId: string, news: News, now: Date): Promise<Settled>;
  /** Open attempts that nothing was heard of since, oldest first. */
  withoutNews(since: Date, limit: number): Promise<OpenAttempt[]>;
  /** They are known to be under way. */
  touch(ids: string[], now: Date): Promise<void>;
  /**
   * For an attempt that telephony doesn't know. `asked`: again, since its campaign still wants it. `unwanted`: it doesn't.
   * `lost`: it had been dialled. `wait`: it is over meanwhile, or a withdrawal is under way.
   */
  askAgain(callId: string, now: Date): Promise<'asked' | 'unwanted' | 'lost' | 'wait'>;
};

export type DialState =
  | { callId: string; state: 'unknown' | 'waiting' }
  | { callId: string; state: 'refused'; reason: Extract<News, { kind: 'refused' }>['reason'] }
  | { callId: string; state: 'live'; answered: boolean }
  | { callId: string; state: 'ended'; ended: Ended };

export type Asker = { workspaceId: string; requestId?: string };

/** What decides whether and when a number's next dial leaves. */
export type DialConditions = {
  phoneNumber: string;
  isActive: boolean;
  maxCps: number;
  nextDialAt: Date;
  /** Requests of campaigns that are not dialled yet. */
  waiting: number;
  /** Calls of the workspace that are not over, and the most there may be; null: that is not known. */
  live: number;
  mostLive: number | null;
  callWorkers: number;
  circuit: NumberCircuit;
};

export type Telephony = {
  /** `PHONE_NOT_FOUND` for a number that isn't the workspace's. */
  findNumber(phoneNumber: string, asker: Asker): Promise<{ phoneNumberId: string }>;
  withdraw(campaignId: string, belowGeneration: number, asker: Asker): Promise<void>;
  dialRates(phoneNumberIds: string[]): Promise<Map<string, DialRate>>;
  /** Undefined for a number that is gone. */
  dialConditions(phoneNumberId: string, asker: Asker): Promise<DialConditions | undefined>;
  dialStates(callIds: string[]): Promise<DialState[]>;
};

export type Assistants = { exists(agentId: string, asker: Asker): Promise<boolean> };

/** What campaigns stand on and others may delete. */
export type Pillar = { kind: 'assistant' | 'phone_number'; id: string };

export type Retirements = {
  /**
   * Unless a live campaign stands on it, keeps new ones off it for the next minute; gives that campaign, the oldest. With
   * the receipt it can be taken back; there is none while somebody else may count on it.
   */
  retire(
    workspaceId: string,
    pillar: Pillar,
  ): Promise<{
    live: Pick<Campaign, 'id' | 'name' | 'status'> | undefined;
    receipt: string | null;
  }>;
  /** Whether it was still as the receipt says. */
  takeBack(workspaceId: string, pillar: Pillar, receipt: string): Promise<boolean>;
  /** Those of the given that were retired; until `tx` ends nobody retires any of them. */
  hold(tx: Sql, workspaceId: string, pillars: Pillar[]): Promise<(Pillar & { isFresh: boolean })[]>;
  lift(tx: Sql, workspaceId: string, pillars: Pillar[]): Promise<void>;
  /** Forgets what no upload can meet any more. */
  sweep(): Promise<void>;
};
