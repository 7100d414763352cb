import type { Sql } from '../db/index.ts';

/** What a key is unique within (D1.7). `path` is the concrete path of the request. */
export type IdempotencyScope = { workspaceId: string; method: string; path: string; key: string };

/** The right to answer a key, until another request takes it over: `owner` is the fence. */
export type Claim = IdempotencyScope & { owner: string };

/** `body` is kept and replayed byte for byte. */
export type StoredAnswer = { status: number; body: string; bodyHash: string };

/**
 * `started`: go on, the key is ours. `answered`: replay, if the body is the same.
 * `running`: another request has it; its `bodyHash` is null while a streamed body is still being read.
 */
export type Begun =
  | { state: 'started'; claim: Claim }
  | ({ state: 'answered' } & StoredAnswer)
  | { state: 'running'; bodyHash: string | null };

/**
 * A key's life (spec D1.7): absent → `running` → `answered` → absent again, 24 hours after it began.
 * `running` is committed before the use case and carries a lease: when the process dies, the key is free again
 * after 60 real seconds. `answered` is written in the transaction that creates the resource. A failure removes the row.
 */
export type IdempotencyStore = {
  begin(scope: IdempotencyScope, bodyHash: string | null): Promise<Begun>;
  /** In the use case's transaction. Throws `IDEMPOTENCY_IN_PROGRESS` when the claim was lost. */
  answer(tx: Sql, claim: Claim, answer: StoredAnswer): Promise<void>;
  /** Prolongs the lease. */
  renew(claim: Claim): Promise<void>;
  /** Frees a key that was not answered. */
  release(claim: Claim): Promise<void>;
  /** Deletes what has expired, in batches; returns how many rows. */
  sweep(): Promise<number>;
};
