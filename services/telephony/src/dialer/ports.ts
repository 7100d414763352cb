import type { Sql } from '@parley/kit/db';
import type { DailySpend } from '../limits/spend.ts';
import type { Call } from '../sessions/call.ts';
import type { DialGrant, DialRefusal, NumberPace, Probe, WaitingDial } from './plan-grants.ts';

/** A number that something waits for; `pace` null: the number is gone. */
export type AwaitedNumber = { phoneNumberId: string; pace: NumberPace | null };

/** A grant with what the call is to know of its assistant. */
export type PreparedGrant = DialGrant & {
  /** When the dial leaves, as far as can be told: at its slot, or behind those that are late. */
  startsAt: Date;
  agentVersion: number;
  agentWebhookUrl: string | null;
  unresolvedPlaceholders: readonly string[];
  rateCents: number;
};

/** When the next dial of a number leaves: of the worker that holds it, and of any other. */
export type HeldClock = { nextMs: number; othersMs: number };

export type Most = { single: number; ofCampaigns: number };

export type DialStore = {
  /** Every number that a request waits for, at the pace that the worker has to keep. */
  awaitedNumbers(workerId: string): Promise<AwaitedNumber[]>;
  /** The oldest requests of each number, so many single calls and so many of campaigns, without those of the agents. */
  oldestRequests(most: ReadonlyMap<string, Most>, withoutAgents: readonly string[]): Promise<WaitingDial[]>;
  /** Calls that are not completed, by workspace, exact until the transaction ends. */
  countLive(tx: Sql, workspaceIds: readonly string[]): Promise<Map<string, number>>;
  /** What calls of the workspaces cost that ended today (UTC). */
  spentOn: DailySpend['spentOn'];
  /** The clocks of these numbers that nobody else holds, held until the transaction ends. */
  holdClocks(tx: Sql, workerId: string, phoneNumberIds: readonly string[]): Promise<NumberPace[]>;
  /** Those of the requests that still wait and that nobody else decides on. */
  holdRequests(tx: Sql, callIds: readonly string[]): Promise<Set<string>>;
  gates(tx: Sql, campaignIds: readonly string[]): Promise<Map<string, number>>;
  /** Those of the requests, by call, whose numbers are on their workspace's do-not-call list [calls.3]. */
  unwantedCalls(tx: Sql, requests: readonly WaitingDial[]): Promise<Set<string>>;
  deletedAgents(tx: Sql, agentIds: readonly string[]): Promise<Set<string>>;
  /** Makes the worker the holder of these numbers. */
  advanceClocks(tx: Sql, workerId: string, clocks: ReadonlyMap<string, HeldClock>): Promise<void>;
  /** Notes which attempts are tried of numbers whose circuits are open, by number. */
  writeProbes(tx: Sql, probes: ReadonlyMap<string, Probe>): Promise<void>;
  /** Writes the calls as `dialing` in the worker's hands and says `call.dialing`. */
  writeGrants(tx: Sql, workerId: string, grants: readonly PreparedGrant[], now: Date): Promise<Call[]>;
  /** Says `dial.refused` to campaigns, and ends single calls as `dial_failed`. */
  writeRefusals(tx: Sql, refusals: readonly DialRefusal[], now: Date): Promise<void>;
};
