import type { Sql } from '../db/index.ts';

/** What a key is unique within (D1.7). `path` is the concrete path of the request. */
export type IdempotencyScope = { workspaceId: string; method: string; path: string; key: string };

/** The right to answer a key, until another request takes it over: `owner` is the fence. */
export type Claim = IdempotencyScope & { owner: string };

/** `body` is kept and replayed byte for byte. */
export type StoredAnswer = { status: number; body: string };

/** Whether a request's body, by its SHA-256, is that of the first request, as far as that is known yet. */
export type Fits = (digest: string) => boolean;

/** `started`: go on, the key is ours. `answered`: replay, if the body is the same. `running`: another request has it. */
export type Begun =
  | { state: 'started'; claim: Claim }
  | ({ state: 'answered'; fits: Fits } & StoredAnswer)
  | { state: 'running'; fits: Fits };

/**
 * A key's life (spec D1.7): absent → `running` → `answered` → absent again, 24 hours after it began.
 * `running` is committed before the use case and carries a lease: when the process dies, the key is free again
 * within 10 real seconds, and while it lives it renews the lease. `answered` is written in the transaction that creates the resource. A failure removes the row.
 */
export type IdempotencyStore = {
  /** `digest`: the body's SHA-256; null while a streamed one is still to be read. */
  begin(scope: IdempotencyScope, digest: string | null): Promise<Begun>;
  /** In the use case's transaction. Throws `IDEMPOTENCY_IN_PROGRESS` when the claim was lost. */
  answer(tx: Sql, claim: Claim, answer: StoredAnswer & { digest: string }): Promise<void>;
  /** Prolongs the lease. */
  renew(claim: Claim): Promise<void>;
  /** Frees a key that was not answered. */
  release(claim: Claim): Promise<void>;
  /** Deletes what has expired, in batches; returns how many rows. */
  sweep(): Promise<number>;
};
