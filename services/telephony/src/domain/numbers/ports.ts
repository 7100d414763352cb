import type { Sql } from '@parley/kit/db';
import type { PhoneNumber, PhoneNumberView } from './phone-number.ts';

export type NumberSearch = { search?: string | undefined; limit: number; offset: number };

export type NumberStore = {
  find(workspaceId: string, id: string): Promise<PhoneNumberView | undefined>;
  findByNumber(workspaceId: string, phoneNumber: string): Promise<PhoneNumber | undefined>;
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
};
