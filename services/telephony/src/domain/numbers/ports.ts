import type { Sql } from '@parley/kit/db';
import type { SipTrunk } from '../ports.ts';
import type { PhoneNumber, PhoneNumberView } from './phone-number.ts';

export type NumberSearch = { search?: string | undefined; limit: number; offset: number };

export type NumberStore = {
  find(workspaceId: string, id: string): Promise<PhoneNumberView | undefined>;
  findByNumber(workspaceId: string, phoneNumber: string): Promise<PhoneNumber | undefined>;
  /** Of any workspace: for calls that come in. */
  findByDigits(phoneNumber: string): Promise<PhoneNumber | undefined>;
  findById(id: string): Promise<PhoneNumber | undefined>;
  /** Newest first; `search` is part of the number or the nickname, in any case. */
  page(workspaceId: string, search: NumberSearch): Promise<{ items: PhoneNumberView[]; total: number }>;
  /** Of any workspace: for other services alone. */
  findMany(ids: readonly string[]): Promise<PhoneNumber[]>;
  /** Throws `CONFLICT` when the number is connected already, in whatever workspace. */
  insert(tx: Sql, number: PhoneNumber, sealedSecrets: string): Promise<void>;
  /** Holds the number until the transaction ends; without a workspace of any. */
  lock(tx: Sql, id: string, workspaceId?: string): Promise<PhoneNumber | undefined>;
  /** Holds all numbers of the workspace that name the assistant. */
  lockByAgent(tx: Sql, workspaceId: string, agentId: string): Promise<PhoneNumber[]>;
  /** Writes what can change: assistants, dial rate, webhook, activation, version. */
  save(tx: Sql, number: PhoneNumber): Promise<void>;
  read(tx: Sql, number: PhoneNumber): Promise<PhoneNumberView>;
  /** Removes a number that the transaction holds, with its clock. */
  remove(tx: Sql, number: PhoneNumber): Promise<void>;
  /** What its carrier is reached with, sealed. */
  sealedSecrets(workspaceId: string, id: string): Promise<string | undefined>;
};

/** SIP trunks of deleted numbers that are to be taken down. */
export type TrunkRemovals = {
  add(tx: Sql, number: PhoneNumber, now: Date): Promise<void>;
  /** Those that are due, which are due again after a growing pause, unless they are done by then. */
  claim(now: Date): Promise<SipTrunk[]>;
  done(trunk: SipTrunk): Promise<void>;
};
