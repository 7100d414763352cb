import { expect, it } from '@jest/globals';
import { createDeferred } from '@parley/kit/concurrency';
import { AppError } from '@parley/kit/errors';
import { type Idempotency, noIdempotency } from '@parley/kit/idempotency';
import { realSleep } from '@parley/kit/time';
import type { Transact, WorkspaceLimits } from '../clients/ports.ts';
import { createCallMutex } from '../limits/call-mutex.ts';
import type { Tx } from '../prisma.ts';
import type { QueuedCall } from './queued-calls.store.ts';
import { createWritePlacedCall, type Placement } from './write-placed-calls.ts';

const NOW = new Date('2026-01-31T08:00:00.000Z');

/** A store of calls whose first transaction waits until `begin`. */
function stage({ dailySpendLimitCents = null as number | null } = {}) {
  const rows = new Map<Tx, string[]>();
  const committed: string[][] = [];
  const gate = createDeferred<void>();
  let failure: Error | undefined;
  let isCommitLost = false;
  const transact: Transact = async (work) => {
    const tx = {} as Tx;
    rows.set(tx, []);
    await gate.promise;
    const failed = failure;
    failure = undefined;
    if (failed) throw failed;
    const result = await work(tx);
    await held;
    committed.push(rows.get(tx) ?? []);
    if (isCommitLost)
      throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
    return result;
  };
  const queuedCalls = {
    countExactly: async () => committed.flat().length,
    insert: async (tx: Tx, calls: readonly QueuedCall[]) => {
      rows.get(tx)?.push(...calls.map(({ id }) => id));
    },
  };
  const spend = { spentOn: async () => new Map<string, number>() };
  const write = createWritePlacedCall({ transact, callMutex: createCallMutex(), queuedCalls, spend });
  const place = (id: string, given: { workspaceId?: string; idempotency?: Idempotency } = {}) => {
    const { workspaceId = 'w', idempotency = noIdempotency } = given;
    const call = { id, number: { workspaceId }, createdAt: NOW } as QueuedCall;
    const limits = { maxLiveCalls: 4, rateCents: 10, dailySpendLimitCents } as WorkspaceLimits;
    return write({ call, limits, idempotency, response: id } satisfies Placement<string>);
  };
  let held = Promise.resolve();
  /** The transaction waits at its end; returns the function that ends it. */
  const hold = (): (() => void) => {
    const end = createDeferred<void>();
    held = end.promise;
    return end.resolve;
  };
  const failNext = (err: Error): void => {
    failure = err;
  };
  const loseCommit = (): void => {
    isCommitLost = true;
  };
  return { place, begin: gate.resolve, committed, failNext, loseCommit, hold };
}

it('writes the calls of a workspace that arrive during a transaction in the next one, and waits for no other workspace', async () => {
  const { place, begin, committed, hold } = stage();
  const end = hold();
  begin();
  const first = place('a');
  await new Promise(setImmediate);
  const others = [place('b'), place('c'), place('x', { workspaceId: 'v' })];
  end();
  expect(await Promise.all([first, ...others])).toEqual(['a', 'b', 'c', 'x']);
  expect(committed.map((ids) => ids.join(' ')).sort()).toEqual(['a', 'b c', 'x']);
});

it('accepts exactly as many as the limit of live calls allows, the first ones [general.19]', async () => {
  const { place, begin, committed } = stage();
  const answers = Promise.allSettled(['a', 'b', 'c', 'd', 'e', 'f'].map((id) => place(id)));
  begin();
  expect((await answers).map((answer) => answer.status === 'fulfilled' && answer.value)).toEqual([
    ...['a', 'b', 'c', 'd'],
    ...[false, false],
  ]);
  await expect(place('g')).rejects.toMatchObject({ code: 'CONCURRENCY_LIMIT', retryAfterSeconds: 5 });
  expect(committed.flat()).toEqual(['a', 'b', 'c', 'd']);
});

it('counts the calls of the same transaction towards the daily limit [trust.22]', async () => {
  const { place, begin } = stage({ dailySpendLimitCents: 20 });
  const answers = Promise.allSettled(['a', 'b', 'c'].map((id) => place(id)));
  begin();
  expect((await answers).map((answer) => answer.status === 'rejected' && answer.reason.code)).toEqual([
    ...[false, false],
    'FORBIDDEN',
  ]);
});

it('writes each call alone if one fails, so that it fails no others', async () => {
  const { place, begin, committed } = stage();
  const idempotency: Idempotency = { answer: () => Promise.reject(new Error('cannot be stored')) };
  const answers = Promise.allSettled([place('a'), place('b', { idempotency }), place('c')]);
  begin();
  expect((await answers).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(committed).toEqual([['a'], ['c']]);
});

it('writes the others together if another request took over the key of one [general.20]', async () => {
  const { place, begin, committed } = stage();
  const takenOver = new AppError('IDEMPOTENCY_IN_PROGRESS', 'taken over');
  const idempotency: Idempotency = { answer: () => Promise.reject(takenOver) };
  const answers = Promise.allSettled([place('a'), place('b', { idempotency }), place('c')]);
  begin();
  expect((await answers).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(committed).toEqual([['a', 'c']]);
});

it('a transaction that cannot begin fails only the call that would begin it: its client has gone', async () => {
  const { place, begin, committed, failNext } = stage();
  failNext(new AppError('BAD_REQUEST', 'The client closed the connection'));
  const answers = Promise.allSettled([place('a'), place('b'), place('c')]);
  begin();
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(committed).toEqual([['b', 'c']]);
});

it('fails all calls of a transaction whose end is unknown: another one would find them written', async () => {
  const { place, begin, committed, loseCommit } = stage();
  loseCommit();
  const answers = Promise.allSettled([place('a'), place('b')]);
  begin();
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(committed).toEqual([['a', 'b']]);
});

it('a call waits at most five seconds, and is not written afterwards', async () => {
  const { place, begin, committed } = stage();
  const [first, ...others] = ['a', 'b', 'c'].map((id) => place(id));
  const codes = (await Promise.allSettled(others)).map((it) => it.status === 'rejected' && it.reason.code);
  expect(codes).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
  begin();
  expect(await first).toBe('a');
  expect(committed).toEqual([['a']]);
}, 10_000);

it('a call that has waited for too long while it was written succeeds: a client that retries would call twice', async () => {
  const { place, begin, hold } = stage();
  const answered = hold();
  begin();
  const calls = ['a', 'b'].map((id) => place(id));
  await realSleep(5_200);
  answered();
  expect(await Promise.all(calls)).toEqual(['a', 'b']);
}, 10_000);
