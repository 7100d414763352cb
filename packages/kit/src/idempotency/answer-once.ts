import { AppError } from '../errors/index.ts';
import type { Log } from '../log/index.ts';
import { realTimer } from '../time/index.ts';
import type { Idempotency } from './idempotency.ts';
import type { Begun, Claim, IdempotencyScope, IdempotencyStore, StoredAnswer } from './store.ts';

/** The SHA-256 of a body that may still be arriving. It is held against what is stored, and never stored itself. */
export type HashedBody = {
  /** Null until the body has been read to its end. */
  known(): string | null;
  /** Reads what is left, without looking at it. */
  whole(): Promise<string>;
};

export type AnswerOnce = {
  store: IdempotencyStore;
  log: Log;
  scope: IdempotencyScope;
  body: HashedBody;
  status: number;
  /** Checks and serialises the answer: what it returns is stored and sent. */
  render: (value: unknown) => string;
};

/** Three of them fit into a lease: one or two that come late lose nothing. Real time. */
const RENEW_MS = 3_000;

/**
 * Runs a use case at most once for a key (spec D1.7), or gives the answer that it gave.
 * Throws `IDEMPOTENCY_KEY_REUSED`, `IDEMPOTENCY_IN_PROGRESS`, and whatever the use case throws.
 */
export async function answerOnce(
  options: AnswerOnce,
  useCase: (idempotency: Idempotency) => Promise<unknown>,
): Promise<{ status: number; body: string; replayed: boolean }> {
  const begun = await options.store.begin(options.scope, options.body.known());
  if (begun.state !== 'started') return { ...(await replay(begun, options.body)), replayed: true };
  const stopRenewing = keepRenewing(options, begun.claim);
  try {
    return { ...(await run(options, begun.claim, useCase)), replayed: false };
  } catch (err) {
    await free(options, begun.claim);
    throw err;
  } finally {
    stopRenewing();
  }
}

async function replay(begun: Exclude<Begun, { state: 'started' }>, body: HashedBody): Promise<StoredAnswer> {
  if (begun.state === 'running') {
    const digest = body.known();
    if (digest !== null && !begun.fits(digest)) throw reused();
    throw new AppError(
      'IDEMPOTENCY_IN_PROGRESS',
      'The first request with this Idempotency-Key is still running',
      { retryAfterSeconds: 1 },
    );
  }
  if (!begun.fits(await body.whole())) throw reused();
  return begun;
}

async function run(
  { store, body, status, render }: AnswerOnce,
  claim: Claim,
  useCase: (idempotency: Idempotency) => Promise<unknown>,
): Promise<StoredAnswer> {
  let stored: StoredAnswer | undefined;
  const remember = async (tx: Parameters<Idempotency['answer']>[0], value: unknown): Promise<void> => {
    const digest = body.known();
    if (digest === null) throw new Error('idempotency.answer was called before the body had been read');
    const answer = { status, body: render(value) };
    await store.answer(tx, claim, { ...answer, digest });
    stored = answer;
  };
  await useCase({
    answer: async (tx, value) => {
      await remember(tx, value);
      return value;
    },
  });
  // Everything has happened and nothing is remembered: a mistake in the use case that its first test must show.
  if (!stored) throw new Error('an idempotent use case must call idempotency.answer in its transaction');
  return stored;
}

/** A claim outlives its lease only while its process lives: uploads may take minutes. */
function keepRenewing({ store, log }: AnswerOnce, claim: Claim): () => void {
  let cancel = (): void => {};
  let stopped = false;
  const renew = async (): Promise<void> => {
    await store.renew(claim).catch((err: unknown) => log.warn({ err }, 'idempotency key not renewed'));
    // The next one only then: a database that is slow gets no queue of them.
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

/** When even this fails, the lease frees the key. A key that was answered before the failure stays answered. */
async function free({ store, log }: AnswerOnce, claim: Claim): Promise<void> {
  await store.release(claim).catch((err: unknown) => log.warn({ err }, 'idempotency key not released'));
}

function reused(): AppError {
  return new AppError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used with another body');
}
