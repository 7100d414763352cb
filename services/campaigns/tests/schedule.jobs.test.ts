import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type SqlClient } from '@parley/testkit';
import { createHarness, type Harness } from './harness.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** On an idle machine a start or a change of the hours takes effect within a second; a busy one gets this much more. */
const LATE_MS = 10_000;

async function soonAfter(work: () => Promise<number>): Promise<void> {
  const lateMs = await work();
  expect(lateMs).toBeGreaterThanOrEqual(0);
  expect(lateMs).toBeLessThanOrEqual(LATE_MS);
}

/** The awaited time is up to a minute ahead. */
const soon = <T>(expectation: () => T | Promise<T>): Promise<T> =>
  eventually(expectation, { timeoutMs: 90_000 });

const ms = (iso: unknown): number => Date.parse(String(iso));
const started = (h: Harness, id: string) =>
  soon(async () => {
    const read = await h.read(id);
    expect(read).toMatchObject({ status: 'running', started_at: expect.any(String) });
    return read;
  });

describe('scheduled_at, in real time', () => {
  let moved: Harness;
  let quiet: Harness;
  let crowded: Harness;
  /** These processes only serve requests: two others move campaigns, and two tests boot them later. */
  beforeAll(async () => {
    [moved, quiet, crowded] = await Promise.all([requestsOnly(), requestsOnly(), requestsOnly()]);
    await bootTwo(moved);
  });
  afterAll(() => Promise.all([moved, quiet, crowded].map((h) => h.close())));
  const requestsOnly = () => createHarness({ jobs: false, env: { DATABASE_POOL: '4' } });
  const bootTwo = (h: Harness) => Promise.all([h.boot({ jobs: true }), h.boot({ jobs: true })]);
  const scheduled = async (h: Harness, inMs: number) => {
    const scheduled_at = new Date(Date.now() + inMs).toISOString();
    return { id: await h.create({ scheduled_at, contacts: h.contactsOf(3) }), scheduled_at };
  };

  it.concurrent('a scheduled campaign starts within a second of its time, once, however many replicas run [campaigns.5]', async () => {
    const { id, scheduled_at } = await scheduled(moved, 6_000);
    await soonAfter(async () => ms((await started(moved, id)).started_at) - ms(scheduled_at));
    await moved.dials(id, 3);
    const { id: other } = await scheduled(moved, 2_000);
    await moved.dials(other, 3);
    // Both dispatchers have run since: no contact was requested twice.
    expect(moved.dialsOf(id)).toHaveLength(3);
  }, 120_000);

  it.concurrent('starts within a second of the next start of a process if none was running at its time [campaigns.5]', async () => {
    const { id, scheduled_at } = await scheduled(quiet, 3_000);
    await soon(() => expect(Date.now()).toBeGreaterThan(ms(scheduled_at) + SECOND_MS));
    expect(await quiet.read(id)).toMatchObject({ status: 'scheduled', started_at: null });
    await bootTwo(quiet);
    const backAt = Date.now();
    await soonAfter(async () => Math.max(0, ms((await started(quiet, id)).started_at) - backAt));
    await quiet.dials(id, 3);
  }, 120_000);

  it.concurrent('a thousand campaigns of the same instant start within a second of it [campaigns.5]', async () => {
    const { id, scheduled_at } = await scheduled(crowded, 12_000);
    await copies(crowded.sql, id, 999);
    await bootTwo(crowded);
    await soonAfter(() =>
      soon(async () => {
        const [row] = await crowded.sql.$queryRaw<{ count: number; last: Date }[]>`
          SELECT count(*)::int, max(started_at) AS last FROM campaigns
          WHERE scheduled_at = ${scheduled_at}::timestamptz AND started_at IS NOT NULL`;
        expect(row?.count).toBe(1_000);
        return ms(row?.last.toISOString()) - ms(scheduled_at);
      }),
    );
  }, 180_000);

  it.concurrent('a locked campaign, such as during an append, delays no other [campaigns.5]', async () => {
    const [held, other] = [await scheduled(moved, 8_000), await scheduled(moved, 8_000)];
    await moved.first.context.prisma.$transaction(
      async (tx) => {
        await tx.$executeRaw`SELECT FROM campaigns WHERE id = ${held.id}::uuid FOR UPDATE`;
        await started(moved, other.id);
        expect(await moved.read(held.id)).toMatchObject({ status: 'scheduled' });
      },
      { timeout: 90_000 },
    );
    const freeAt = Date.now();
    await soonAfter(async () => Math.max(0, ms((await started(moved, held.id)).started_at) - freeAt));
  }, 120_000);

  it.concurrent('scheduled, resumed at its time: it runs once [campaigns.5]', async () => {
    const { id, scheduled_at } = await scheduled(moved, 4_000);
    await soon(() => expect(Date.now()).toBeGreaterThan(ms(scheduled_at) - 100));
    // Retried after a 503, as clients do: a busy machine may not have a free connection in time.
    const resume = () =>
      soon(async () => {
        const answer = await moved.verb(id, 'resume');
        expect(answer.status).not.toBe(503);
        return answer;
      });
    const answers = await Promise.all([resume(), resume(), resume()]);
    for (const { status, data } of answers) expect([status, data.status]).toEqual([200, 'running']);
    const dials = await moved.dials(id, 3);
    expect(new Set(dials.map(({ generation }) => generation))).toEqual(new Set([1]));
  }, 120_000);
});

/** Adds this many copies of the campaign without contacts. */
async function copies(sql: SqlClient, id: string, count: number): Promise<void> {
  await sql.$executeRaw`INSERT INTO campaigns SELECT (json_populate_record(c, json_build_object('id', gen_random_uuid()))).*
     FROM campaigns c, generate_series(1, ${count}::int) WHERE c.id = ${id}::uuid`;
}

describe('business_hours, a minute a second', () => {
  const RATE = 60;
  const originMs = Date.now();
  const stackNow = (): number => originMs + (Date.now() - originMs) * RATE;
  let h: Harness;
  beforeAll(async () => {
    h = await createHarness({ clockRate: RATE, clockOriginMs: originMs, env: { DATABASE_POOL: '4' } });
    await h.boot();
  });
  afterAll(() => h.close());

  /** Windows between two instants in stack time, rounded to minutes; the end is at most on the next day. */
  const between = (fromMs: number, toMs: number) => {
    const [from, to] = [fromMs, toMs].map((at) => Math.floor(at / MINUTE_MS) * MINUTE_MS) as [number, number];
    const start = (from / MINUTE_MS) % 1440;
    const end = start + (to - from) / MINUTE_MS;
    const windows =
      end <= 1440
        ? [{ start, end }]
        : [
            { start, end: 1440 },
            { start: 0, end: end - 1440 },
          ];
    return { from, to, business_hours: { tz: 'UTC', days: [1, 2, 3, 4, 5, 6, 7], windows } };
  };
  const late = (at: unknown, edgeMs: number): number => (ms(at) - edgeMs) / RATE;

  it.concurrent('dormant: resumes within a second of the opening; running: dormant within a second of the closing [campaigns.5]', async () => {
    const now = stackNow();
    const { from, to, business_hours } = between(now + 12 * MINUTE_MS, now + 20 * MINUTE_MS);
    const id = await h.create({ business_hours, contacts: h.contactsOf(2) });
    expect(await h.read(id)).toMatchObject({ status: 'draft', business_hours });
    expect((await h.verb(id, 'resume')).data).toMatchObject({ status: 'dormant', started_at: null });
    await soonAfter(async () => late((await started(h, id)).started_at, from));
    await h.dials(id, 2);
    await soonAfter(async () => {
      const closed = await soon(async () => {
        const read = await h.read(id);
        expect(read).toMatchObject({ status: 'dormant', started_at: expect.any(String), completed_at: null });
        return read;
      });
      return late(closed.updated_at, to);
    });
    await soon(() => expect(h.peers.withdrawals).toContainEqual({ campaign_id: id, below_generation: 2 }));
    expect((await h.verb(id, 'pause')).data).toMatchObject({ status: 'paused' });
    expect((await h.verb(id, 'resume')).data).toMatchObject({ status: 'dormant' });
    await h.verb(id, 'cancel');
  }, 120_000);

  it.concurrent('scheduled: dormant when its time comes outside its hours, running when they open [campaigns.5]', async () => {
    const now = stackNow();
    const { from, business_hours } = between(now + 14 * MINUTE_MS, now + 300 * MINUTE_MS);
    const scheduled_at = new Date(now + 6 * MINUTE_MS).toISOString();
    const id = await h.create({ business_hours, scheduled_at });
    await soon(async () => expect(await h.read(id)).toMatchObject({ status: 'dormant', started_at: null }));
    await soonAfter(async () => late((await started(h, id)).started_at, from));
    await h.dials(id, 1);
    await h.verb(id, 'cancel');
  }, 120_000);

  it.concurrent('a campaign whose hours close during its last call completes when the call ends [campaigns.5]', async () => {
    const now = stackNow();
    const { business_hours } = between(now - MINUTE_MS, now + 12 * MINUTE_MS);
    const id = await h.create({ business_hours });
    await h.verb(id, 'resume');
    const [dial] = await h.dials(id, 1);
    if (!dial) throw new Error('no dial');
    h.peers.states.set(dial.call_id, { callId: dial.call_id, state: 'live', answered: true });
    await h.say.started(dial);
    await soon(async () => expect(await h.read(id)).toMatchObject({ status: 'dormant' }));
    await h.say.ended(dial, 'user_hangup');
    await soon(async () =>
      expect(await h.read(id)).toMatchObject({
        status: 'completed',
        successful_calls: 1,
        completed_calls: 1,
      }),
    );
  }, 120_000);
});
