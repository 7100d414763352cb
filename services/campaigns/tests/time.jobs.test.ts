import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHarness, type Harness, soon } from './harness.ts';

const MINUTE_MS = 60_000;

/** An hour of the stack lasts 3.6 s. */
const RATE = 1000;
let h: Harness;
let originMs: number;
beforeAll(async () => {
  originMs = Date.now();
  h = await createHarness({ clockRate: RATE, clockOriginMs: originMs });
});
afterAll(() => h.close());

const stackNow = (): number => originMs + (Date.now() - originMs) * RATE;
const minuteOfDay = (ms: number): number => Math.floor((ms % 86_400_000) / MINUTE_MS);
const everyDay = [1, 2, 3, 4, 5, 6, 7];

/** Hours that are closed for a moment around now, and again an hour later. */
function hoursFrom(startMs: number, minutes: number) {
  const start = minuteOfDay(startMs);
  const end = start + minutes;
  const windows =
    end <= 1440
      ? [{ start, end }]
      : [
          { start, end: 1440 },
          { start: 0, end: end - 1440 },
        ];
  return { tz: 'UTC', days: everyDay, windows };
}

describe('scheduled_at', () => {
  it.concurrent('starts the campaign at that time, and not before', async () => {
    const scheduledMs = stackNow() + 150 * MINUTE_MS;
    const id = await h.create({ scheduled_at: new Date(scheduledMs).toISOString() });
    expect(await h.read(id)).toMatchObject({ status: 'scheduled' });
    await h.dials(id, 1);
    const { status, started_at } = await h.read(id);
    expect(status).toBe('running');
    expect(Date.parse(String(started_at))).toBeGreaterThanOrEqual(scheduledMs);
    // A second of real time, with a margin for a busy machine.
    expect(Date.parse(String(started_at)) - scheduledMs).toBeLessThan(3000 * RATE);
  });

  it.concurrent('starts all others when one cannot be read', async () => {
    const scheduled_at = new Date(stackNow() + 150 * MINUTE_MS).toISOString();
    const bad = await h.create({ scheduled_at });
    await h.sql.$executeRaw`UPDATE campaigns SET business_hours = '{"tz": 5}' WHERE id = ${bad}::uuid`;
    const id = await h.create({ scheduled_at });
    await h.dials(id, 1);
    await h.sql.$executeRaw`UPDATE campaigns SET business_hours = NULL WHERE id = ${bad}::uuid`;
    await h.dials(bad, 1);
  });

  it.concurrent('makes a campaign dormant when its time comes outside its hours', async () => {
    const now = stackNow();
    const id = await h.create({
      scheduled_at: new Date(now + 150 * MINUTE_MS).toISOString(),
      business_hours: hoursFrom(now + 600 * MINUTE_MS, 60),
    });
    await soon(async () => expect(await h.read(id)).toMatchObject({ status: 'dormant', started_at: null }));
    await h.verb(id, 'cancel');
  });
});

describe('business_hours', () => {
  it.concurrent('a campaign becomes dormant when they close, withdraws its requests, and dials when they open', async () => {
    const now = stackNow();
    const id = await h.create({ business_hours: hoursFrom(now, 60) });
    expect((await h.verb(id, 'resume')).data).toMatchObject({ status: 'running' });
    const [dial] = await h.dials(id, 1);
    if (!dial) throw new Error('no dial');
    // Telephony lets nothing leave from the minute on at which they close.
    const closesMs = Math.floor(now / MINUTE_MS) * MINUTE_MS + 60 * MINUTE_MS;
    expect(dial.not_after).toBe(new Date(closesMs).toISOString());
    await soon(async () => expect(await h.read(id)).toMatchObject({ status: 'dormant' }));
    await soon(() => {
      expect(h.peers.withdrawals).toContainEqual({ campaign_id: id, below_generation: 2 });
    });
    await h.say.refused(dial, 'withdrawn');
    await soon(async () => {
      expect(await h.sql.$queryRaw`SELECT state FROM attempts WHERE id = ${dial.call_id}::uuid`).toEqual([
        { state: 'withdrawn' },
      ]);
    });
    expect(h.dialsOf(id)).toHaveLength(1);
    await h.verb(id, 'cancel');
  });

  it.concurrent('a dormant campaign resumes by itself when they open', async () => {
    const now = stackNow();
    const id = await h.create({ business_hours: hoursFrom(now + 60 * MINUTE_MS, 600) });
    expect((await h.verb(id, 'resume')).data).toMatchObject({ status: 'dormant', started_at: null });
    await h.dials(id, 1);
    expect(await h.read(id)).toMatchObject({ status: 'running', started_at: expect.any(String) });
  });
});

describe('attempts without messages from telephony', () => {
  const find = async (id: string): Promise<unknown> => {
    const [row] = await h.sql.$queryRaw<
      { state: string }[]
    >`SELECT state FROM attempts WHERE id = ${id}::uuid`;
    return row?.state;
  };
  /** As if nothing had been heard for an hour, also at this clock. */
  const silence = (callId: string) =>
    h.sql.$executeRaw`UPDATE attempts SET news_at = news_at - interval '1 day' WHERE id = ${callId}::uuid`;
  const dialed = async () => {
    const id = await h.create();
    await h.verb(id, 'resume');
    const [dial] = await h.dials(id, 1);
    if (!dial) throw new Error('no dial');
    return { id, dial };
  };

  it.concurrent('unknown to telephony: sends the same request again', async () => {
    const { id, dial } = await dialed();
    await silence(dial.call_id);
    const [, again] = await h.dials(id, 2);
    expect(again).toEqual(dial);
    expect(await h.contacts(id)).toMatchObject([{ status: 'pending', attempts: 0 }]);
  });

  it.concurrent('unknown to telephony, and the campaign has stopped: withdrawn', async () => {
    const { id, dial } = await dialed();
    await h.verb(id, 'pause');
    await silence(dial.call_id);
    await soon(async () => expect(await find(dial.call_id)).toBe('withdrawn'));
    await h.verb(id, 'resume');
    const [, next] = await h.dials(id, 2);
    expect(next).toMatchObject({ contact_id: dial.contact_id, generation: 2 });
  });

  it.concurrent('unknown to telephony although it had been dialed: ended with error', async () => {
    const { id, dial } = await dialed();
    await h.say.dialing(dial);
    await soon(async () => expect(await find(dial.call_id)).toBe('dialled'));
    await silence(dial.call_id);
    await soon(async () => {
      expect(await h.contacts(id)).toMatchObject([{ status: 'failed', last_outcome: 'error' }]);
    });
  });

  it.concurrent('refused although the call had been announced: restored, because the carrier never received it [campaigns.11]', async () => {
    const { id, dial } = await dialed();
    h.peers.states.set(dial.call_id, { callId: dial.call_id, state: 'refused', reason: 'withdrawn' });
    await h.say.dialing(dial);
    await soon(async () => expect(await find(dial.call_id)).toBe('dialled'));
    await silence(dial.call_id);
    await soon(async () => {
      expect(await find(dial.call_id)).toBe('withdrawn');
      expect(await h.contacts(id)).toMatchObject([{ status: 'pending', attempts: 0, last_outcome: null }]);
    });
  });

  it.concurrent('refused although it had been answered: ended with error, because no contact may be dialed twice', async () => {
    const { id, dial } = await dialed();
    h.peers.states.set(dial.call_id, { callId: dial.call_id, state: 'refused', reason: 'withdrawn' });
    await h.say.started(dial);
    await soon(async () => expect(await find(dial.call_id)).toBe('answered'));
    await silence(dial.call_id);
    await soon(async () => {
      expect(await h.contacts(id)).toMatchObject([{ status: 'failed', attempts: 1, last_outcome: 'error' }]);
    });
  });

  it.concurrent('refused, live and ended: applied like the lost message', async () => {
    const refused = await dialed();
    h.peers.states.set(refused.dial.call_id, {
      callId: refused.dial.call_id,
      state: 'refused',
      reason: 'do_not_call',
    });
    const live = await dialed();
    h.peers.states.set(live.dial.call_id, { callId: live.dial.call_id, state: 'live', answered: true });
    const over = await dialed();
    h.peers.states.set(over.dial.call_id, {
      callId: over.dial.call_id,
      state: 'ended',
      ended: h.endedOf(over.dial, 'user_hangup'),
    });
    for (const { dial } of [refused, live, over]) await silence(dial.call_id);
    await soon(async () => {
      expect(await h.contacts(refused.id)).toMatchObject([{ status: 'failed', last_outcome: 'do_not_call' }]);
      expect(await h.contacts(live.id)).toMatchObject([{ status: 'in_progress', attempts: 1 }]);
      expect(await h.contacts(over.id)).toMatchObject([{ status: 'succeeded', last_outcome: 'user_hangup' }]);
      expect(await h.read(over.id)).toMatchObject({ status: 'completed' });
    });
  });

  it.concurrent('waiting: left unchanged', async () => {
    const { id, dial } = await dialed();
    h.peers.states.set(dial.call_id, { callId: dial.call_id, state: 'waiting' });
    const before = h.peers.asked.length;
    await silence(dial.call_id);
    await soon(() => expect(h.peers.asked.slice(before)).toContain(dial.call_id));
    expect(await find(dial.call_id)).toBe('requested');
    expect(h.dialsOf(id)).toHaveLength(1);
  });
});
