import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, eventually, type Receiver, receiver } from '@parley/testkit';
import { bootWebhooks, fakeCall, readEvents, type Webhooks } from './harness.ts';

let server: Receiver;
const workspace = randomUUID();
const MINUTE_MS = 60_000;
/** [webhooks.10] in real time: the speed of a process does not depend on the clock rate. */
const LATE_MS = 5_000;

beforeAll(async () => {
  server = await receiver();
});
afterAll(() => server.close());

/** With a clock rate per test; the tests wait concurrently. */
async function atRate(clockRate: number, test: (webhooks: Webhooks) => Promise<void>): Promise<void> {
  const webhooks = await bootWebhooks({ clockRate, env: { DATABASE_POOL: '3' } });
  try {
    await test(webhooks);
  } finally {
    await webhooks.stopAll();
  }
}

/** Sends one event to an endpoint with these responses. */
async function deliverTo(webhooks: Webhooks, path: string, ...answers: Answer[]) {
  server.script(path, ...answers);
  const call = fakeCall(server.url + path, webhooks.context.clock.now());
  await webhooks.bus.publish('call.started', workspace, call.started);
  return async () => {
    const [event] = await readEvents(webhooks, workspace, call.callId);
    if (!event) throw new Error('there is no event');
    return event;
  };
}

/** The delays between the requests at the receiver: in stack milliseconds, and the excess over the given delay in real ones. */
const waitsAt = (path: string): number[] => {
  const times = server.requests(path).map(({ receivedAt }) => receivedAt.getTime());
  return times.slice(1).map((time, index) => time - (times[index] ?? 0));
};

describe('the delays after failed attempts [webhooks.10]', () => {
  it.concurrent(
    'double from 2 minutes to 6 hours; no attempt comes early, and the twelfth failure is the last',
    async () =>
      atRate(10_000, async (webhooks) => {
        const eventOf = await deliverTo(webhooks, '/all', { status: 500 });
        const event = await eventually(
          async () => {
            const found = await eventOf();
            expect(found.status).toBe('failed');
            return found;
          },
          { timeoutMs: 80_000 },
        );
        expect(event).toMatchObject({ reason: 'http_error', nextAttemptAt: null });
        expect(event.log.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        const expected = [2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360].map(
          (minutes) => (minutes * MINUTE_MS) / 10_000,
        );
        const waits = waitsAt('/all');
        expect(waits).toHaveLength(11);
        for (const [index, due] of expected.entries()) {
          // The receiver's clock has a resolution of a millisecond.
          expect([index, (waits[index] ?? 0) > due - 1]).toEqual([index, true]);
          expect([index, (waits[index] ?? 0) < due + LATE_MS]).toEqual([index, true]);
        }
        // This is still true a day of stack time later.
        const other = await deliverTo(webhooks, '/other', { status: 500 }, {});
        await eventually(async () => expect((await other()).status).toBe('delivered'), { timeoutMs: 10_000 });
        expect(server.requests('/all')).toHaveLength(12);
      }),
    120_000,
  );

  it.concurrent(
    'are not changed by an earlier Retry-After [webhooks.11]',
    async () =>
      atRate(1_000, async (webhooks) => {
        const retryAfter = (seconds: number) => ({
          status: 429,
          headers: { 'retry-after': String(seconds) },
        });
        const eventOf = await deliverTo(
          webhooks,
          '/step',
          { status: 500 },
          retryAfter(60),
          retryAfter(1_200),
          { status: 503 },
          {},
        );
        await eventually(async () => expect((await eventOf()).status).toBe('delivered'), {
          timeoutMs: 30_000,
        });
        const waits = waitsAt('/step');
        for (const [index, minutes] of [2, 1, 20, 16].entries()) {
          const due = (minutes * MINUTE_MS) / 1_000;
          expect([index, (waits[index] ?? 0) > due - 1]).toEqual([index, true]);
          expect([index, (waits[index] ?? 0) < due + LATE_MS]).toEqual([index, true]);
        }
      }),
    60_000,
  );
});

describe('Retry-After [webhooks.11]', () => {
  const httpDate = (ms: number): string => new Date(ms).toUTCString();
  const inMs = (ms: number): string => httpDate(Date.now() + ms);
  const isAsked = (status: number): boolean => status === 429 || status === 503;
  /** Minutes; undefined: it is malformed, so the 2 minutes of the schedule apply. */
  const headers: [what: string, header: () => string | undefined, minutes: number | undefined][] = [
    ['none', () => undefined, undefined],
    ['90 seconds', () => '90', 1.5],
    ['an hour', () => '3600', 60],
    ['zero', () => '0', 1],
    ['less than a minute', () => '59', 1],
    ['6 hours', () => '21600', 360],
    ['more than 6 hours', () => '21601', 360],
    ['12 digits', () => '999999999999', 360],
    ['400 digits', () => '9'.repeat(400), 360],
    ['a negative number', () => '-120', undefined],
    ['a fraction', () => '120.5', undefined],
    ['an exponent', () => '1e3', undefined],
    ['a word', () => 'soon', undefined],
    ['nothing', () => '', undefined],
    ['a unit', () => '120s', undefined],
    ['two of them', () => '120, 180', undefined],
    ['a date in 10 minutes', () => inMs(10 * MINUTE_MS), 10],
    ['a date that is past', () => inMs(-10 * MINUTE_MS), 1],
    ['a date in 30 seconds', () => inMs(30_000), 1],
    ['a date in a year', () => inMs(365 * 24 * 60 * MINUTE_MS), 360],
    ['a date of no calendar', () => 'Fri, 99 Nov 2026 12:05:00 GMT', undefined],
    ['an ISO date', () => new Date(Date.now() + 600_000).toISOString(), undefined],
  ];
  const PATIENCE = { timeoutMs: 60_000 };
  const ofOthers = new Set(['90 seconds', 'zero', 'a date in 10 minutes']);

  it.concurrent.each([429, 503, 500, 404, 301])(
    '%d: counts only on 429 and 503, clamped to 1 minute-6 hours; an invalid one is ignored',
    async (status) =>
      atRate(1, async (webhooks) => {
        const asked = headers.filter(([what]) => isAsked(status) || ofOthers.has(what));
        const events = await Promise.all(
          asked.map(async ([what, header, minutes], index) => {
            const [madeMs, value] = [Date.now(), header()];
            const given = value === undefined ? {} : { 'retry-after': value };
            const eventOf = await deliverTo(webhooks, `/${status}/${index}`, {
              status,
              headers: { ...given, location: '/next' },
            });
            const isDate = isAsked(status) && what === 'a date in 10 minutes';
            return { what, eventOf, minutes: (isAsked(status) && minutes) || 2, madeMs, isDate };
          }),
        );
        for (const { what, eventOf, minutes, madeMs, isDate } of events) {
          const event = await eventually(async () => {
            const found = await eventOf();
            expect(found.log).toHaveLength(1);
            return found;
          }, PATIENCE);
          const dueMs = event.nextAttemptAt?.getTime() ?? 0;
          // A delay begins with the response; a date was computed earlier and has a resolution of a second.
          const fromMs = isDate ? madeMs - 1_000 : (event.log[0]?.startedAt.getTime() ?? 0);
          const bounds = [dueMs >= fromMs + minutes * MINUTE_MS, dueMs <= Date.now() + minutes * MINUTE_MS];
          expect([what, event.status, ...bounds]).toEqual([what, 'pending', true, true]);
        }
      }),
    120_000,
  );

  it.concurrent('has no effect on a 200: the event is delivered', async () =>
    atRate(1, async (webhooks) => {
      const eventOf = await deliverTo(webhooks, '/hook', { status: 200, headers: { 'retry-after': '120' } });
      await eventually(
        async () => expect(await eventOf()).toMatchObject({ status: 'delivered', nextAttemptAt: null }),
        PATIENCE,
      );
    }));

  it.concurrent(
    'counts seconds in stack time, and compares dates with real time',
    async () =>
      atRate(100, async (webhooks) => {
        const seconds = await deliverTo(
          webhooks,
          '/seconds',
          { status: 503, headers: { 'retry-after': '200' } },
          {},
        );
        const date = await deliverTo(
          webhooks,
          '/date',
          { status: 503, headers: { 'retry-after': inMs(210_000) } },
          {},
        );
        for (const [path, eventOf] of [
          ['/seconds', seconds],
          ['/date', date],
        ] as const) {
          await eventually(async () => expect((await eventOf()).status).toBe('delivered'), PATIENCE);
          const [waitMs = 0] = waitsAt(path);
          // 200 seconds of stack time are 2 real seconds; the date was computed a moment earlier and rounded.
          expect([path, waitMs >= (path === '/date' ? 1_800 : 1_999)]).toEqual([path, true]);
          expect([path, waitMs < 2_100 + LATE_MS]).toEqual([path, true]);
        }
      }),
    60_000,
  );
});
