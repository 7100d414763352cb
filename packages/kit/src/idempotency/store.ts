import type { SqlClient } from '../db/index.ts';

/** A key is unique within workspace, method and path [general.20]; `path` is the concrete path of the request. */
export type IdempotencyScope = { workspaceId: string; method: string; path: string; key: string };

/** The claim of a request on a key; `owner` fences it off from a request that takes over. */
export type Claim = IdempotencyScope & { owner: string };

/** `body` is replayed byte for byte. */
export type StoredResponse = { status: number; body: string };

/** Whether a body with this SHA-256 equals the first request's body, if that is known. */
export type MatchesBody = (digest: string) => boolean;

/** `started`: the key is claimed. `answered`: replay the response if the body matches. `running`: another request has the claim. */
export type BeginResult =
  | { state: 'started'; claim: Claim }
  | ({ state: 'answered'; matches: MatchesBody } & StoredResponse)
  | { state: 'running'; matches: MatchesBody };

/**
 * States of a key: absent → `running` → `answered` → absent, 24 hours after it began. `running` is committed before the use case and has a
 * lease, which the process renews; if it dies, the key is free within 10 real seconds. `answered` is written in the transaction that
 * creates the resource. A failure deletes the row.
 */
export type IdempotencyStore = {
  /** `digest`: the SHA-256 of the body; null before a streamed body has been read. */
  begin(scope: IdempotencyScope, digest: string | null): Promise<BeginResult>;
  /** Stores the response in the transaction of the use case. Throws `IDEMPOTENCY_IN_PROGRESS` if the claim was lost. */
  answer(tx: SqlClient, claim: Claim, answer: StoredResponse & { digest: string }): Promise<void>;
  /** Renews the lease. */
  renew(claim: Claim): Promise<void>;
  /** Frees a key without a response. */
  release(claim: Claim): Promise<void>;
  /** Deletes expired rows in batches and returns their number. */
  sweep(): Promise<number>;
};
