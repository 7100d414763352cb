import { AppError } from '../errors/index.ts';
import type { Log } from '../log/index.ts';
import { realTimer } from '../time/index.ts';
import type { Idempotency } from './idempotency.ts';
import type { BeginResult, Claim, IdempotencyScope, IdempotencyStore, StoredResponse } from './store.ts';

/** The SHA-256 of a body that may still be arriving. */
export type HashedBody = {
  /** Null until the whole body has been read. */
  known(): string | null;
  /** Reads the rest of the body and returns the digest. */
  whole(): Promise<string>;
};

export type RespondOnce = {
  store: IdempotencyStore;
  log: Log;
  scope: IdempotencyScope;
  body: HashedBody;
  status: number;
  /** Validates and serializes the result; its text is stored and sent. */
  render: (value: unknown) => string;
};

/** A third of the lease, so that a late renewal does not lose it. Real time. */
const RENEW_MS = 3_000;

/**
 * Runs a use case at most once per key, or replays its stored response [general.20]. Throws `IDEMPOTENCY_KEY_REUSED`,
 * `IDEMPOTENCY_IN_PROGRESS`, and the errors of the use case.
 */
export async function respondOnce(
  options: RespondOnce,
  useCase: (idempotency: Idempotency) => Promise<unknown>,
): Promise<{ status: number; body: string; replayed: boolean }> {
  const begun = await options.store.begin(options.scope, options.body.known());
  if (begun.state !== 'started') return { ...(await replay(begun, options.body)), replayed: true };
  const stopRenewing = keepRenewing(options, begun.claim);
  try {
    return { ...(await run(options, begun.claim, useCase)), replayed: false };
  } catch (err) {
    await release(options, begun.claim);
    throw err;
  } finally {
    stopRenewing();
  }
}

async function replay(
  begun: Exclude<BeginResult, { state: 'started' }>,
  body: HashedBody,
): Promise<StoredResponse> {
  if (begun.state === 'running') {
    const digest = body.known();
    if (digest !== null && !begun.matches(digest)) throw reused();
    throw new AppError(
      'IDEMPOTENCY_IN_PROGRESS',
      'The first request with this Idempotency-Key is still running',
      { retryAfterSeconds: 1 },
    );
  }
  if (!begun.matches(await body.whole())) throw reused();
  return begun;
}

async function run(
  { store, body, status, render }: RespondOnce,
  claim: Claim,
  useCase: (idempotency: Idempotency) => Promise<unknown>,
): Promise<StoredResponse> {
  let stored: StoredResponse | undefined;
  const storeResponse = async (tx: Parameters<Idempotency['answer']>[0], value: unknown): Promise<void> => {
    const digest = body.known();
    if (digest === null) throw new Error('idempotency.answer was called before the body had been read');
    const response = { status, body: render(value) };
    await store.answer(tx, claim, { ...response, digest });
    stored = response;
  };
  await useCase({
    answer: async (tx, value) => {
      await storeResponse(tx, value);
      return value;
    },
  });
  // A bug in the use case, which its first test reveals.
  if (!stored) throw new Error('an idempotent use case must call idempotency.answer in its transaction');
  return stored;
}

/** Renews the lease while the use case runs, since uploads may take minutes. */
function keepRenewing({ store, log }: RespondOnce, claim: Claim): () => void {
  let cancel = (): void => {};
  let stopped = false;
  const renew = async (): Promise<void> => {
    await store.renew(claim).catch((err: unknown) => log.warn({ err }, 'idempotency key not renewed'));
    // In sequence, so that renewals don't pile up at a slow database.
    if (!stopped) arm();
  };
  const arm = (): void => {
    cancel = realTimer(RENEW_MS, () => void renew());
  };
  arm();
  return () => {
    stopped = true;
    cancel();
  };
}

/** If this fails, the lease frees the key. A stored response stays. */
async function release({ store, log }: RespondOnce, claim: Claim): Promise<void> {
  await store.release(claim).catch((err: unknown) => log.warn({ err }, 'idempotency key not released'));
}

function reused(): AppError {
  return new AppError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used with another body');
}
