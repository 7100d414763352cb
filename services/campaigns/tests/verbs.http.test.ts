import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHarness, type Harness, soon } from './harness.ts';

let h: Harness;
beforeAll(async () => {
  h = await createHarness();
});
afterAll(() => h.close());

/** Hours that are closed now, whatever the hour. */
function closedNow() {
  const today = ((new Date().getUTCDay() + 6) % 7) + 1;
  const other = ((today + 1) % 7) + 1;
  return { tz: 'UTC', days: [other], windows: [{ start: 0, end: 1440 }] };
}
const ahead = '2099-06-01T10:00:00.000Z';
const conflict = (status: string) => ({
  status: 409,
  body: { success: false, error: { code: 'CONFLICT', message: expect.stringContaining(status) } },
});
const withdrawals = (id: string) => h.peers.withdrawals.filter(({ campaign_id }) => campaign_id === id);

describe('POST /v1/campaigns/{id}/resume', () => {
  it('starts a draft and stamps started_at', async () => {
    const id = await h.create();
    const { status, data } = await h.verb(id, 'resume');
    expect(status).toBe(200);
    expect(data).toMatchObject({ status: 'running', started_at: expect.any(String), completed_at: null });
    expect((await h.verb(id, 'resume')).data).toEqual(data);
  });

  it('is dormant outside its hours, and has not started', async () => {
    const id = await h.create({ business_hours: closedNow() });
    expect((await h.verb(id, 'resume')).data).toMatchObject({ status: 'dormant', started_at: null });
    expect(await h.verb(id, 'resume')).toMatchObject({ status: 200, data: { status: 'dormant' } });
    expect((await h.verb(id, 'pause')).data).toMatchObject({ status: 'paused' });
    expect(h.dialsOf(id)).toHaveLength(0);
  });

  it('starts a scheduled one now', async () => {
    const id = await h.create({ scheduled_at: ahead });
    expect((await h.verb(id, 'resume')).data).toMatchObject({ status: 'running', scheduled_at: ahead });
    await h.dials(id, 1);
  });

  it('schedules a campaign again that was paused before its time and has never run', async () => {
    const id = await h.create({ scheduled_at: ahead });
    await h.verb(id, 'pause');
    expect((await h.verb(id, 'resume')).data).toMatchObject({ status: 'scheduled', started_at: null });
  });

  it('answers 409 for a cancelled campaign [campaigns.6]', async () => {
    const id = await h.create();
    await h.verb(id, 'cancel');
    expect(await h.verb(id, 'resume')).toMatchObject(conflict('cancelled'));
  });

  it('completes a paused campaign without remaining contacts', async () => {
    const id = await h.create();
    await h.verb(id, 'resume');
    const [dial] = await h.dials(id, 1);
    if (!dial) throw new Error('no dial');
    await h.say.dialing(dial);
    await soon(async () => expect((await h.contacts(id))[0]).toMatchObject({ status: 'dialing' }));
    await h.verb(id, 'pause');
    await h.say.ended(dial, 'user_hangup');
    await soon(async () => expect(await h.read(id)).toMatchObject({ completed_calls: 1 }));
    expect(await h.read(id)).toMatchObject({ status: 'paused', completed_at: null });
    expect((await h.verb(id, 'resume')).data).toMatchObject({
      status: 'completed',
      completed_at: expect.any(String),
    });
    for (const verb of ['resume', 'pause', 'cancel']) {
      expect(await h.verb(id, verb)).toMatchObject(conflict('completed'));
    }
  });
});

describe('POST /v1/campaigns/{id}/pause', () => {
  it('answers 409 for a draft, which stays unchanged', async () => {
    const id = await h.create();
    expect(await h.verb(id, 'pause')).toMatchObject(conflict('draft'));
    expect(await h.read(id)).toMatchObject({ status: 'draft' });
  });

  it('withdraws what telephony has not dialed, and requests it again on resume', async () => {
    const id = await h.create({ contacts: h.contactsOf(2) });
    await h.verb(id, 'resume');
    const [first, second] = await h.dials(id, 2);
    if (!first || !second) throw new Error('no dials');
    await h.say.dialing(first);
    await soon(async () => expect((await h.contacts(id))[0]).toMatchObject({ status: 'dialing' }));
    expect((await h.verb(id, 'pause')).data).toMatchObject({ status: 'paused' });
    expect(withdrawals(id)).toEqual([{ campaign_id: id, below_generation: 2 }]);
    await h.say.refused(second, 'withdrawn');
    await soon(async () => {
      const attempts = await h.sql.$queryRaw`SELECT state FROM attempts WHERE id = ${second.call_id}::uuid`;
      expect(attempts).toEqual([{ state: 'withdrawn' }]);
    });
    expect(await h.contacts(id)).toMatchObject([{ status: 'dialing' }, { status: 'pending', attempts: 0 }]);
    expect(await h.verb(id, 'pause')).toMatchObject({ status: 200, data: { status: 'paused' } });
    expect(h.dialsOf(id)).toHaveLength(2);
    await h.verb(id, 'resume');
    const [, , third] = await h.dials(id, 3);
    expect(third).toMatchObject({ contact_id: second.contact_id, generation: 2 });
    expect(third?.call_id).not.toBe(second.call_id);
  });

  it('puts a withdrawn retry back to retrying', async () => {
    const id = await h.create({ max_retries: 1, retry_intervals: [1] });
    await h.verb(id, 'resume');
    const [first] = await h.dials(id, 1);
    if (!first) throw new Error('no dial');
    const ended_at = new Date(Date.now() - 61_000).toISOString();
    await h.say.ended(first, 'dial_busy', { ended_at });
    const [, second] = await h.dials(id, 2);
    if (!second) throw new Error('no retry');
    await h.verb(id, 'pause');
    await h.say.refused(second, 'withdrawn');
    await soon(async () => {
      expect(await h.contacts(id)).toMatchObject([
        { status: 'retrying', attempts: 1, last_call_id: first.call_id, last_outcome: 'dial_busy' },
      ]);
    });
  });

  it('answers 503 while telephony is unavailable, but pauses; repeating it repeats the withdrawal', async () => {
    const id = await h.create();
    await h.verb(id, 'resume');
    await h.dials(id, 1);
    h.peers.mode.down = true;
    const answer = await h.verb(id, 'pause');
    expect([answer.status, answer.body]).toMatchObject([503, { error: { code: 'SERVICE_UNAVAILABLE' } }]);
    expect(answer.headers.get('retry-after')).not.toBeNull();
    expect(await h.read(id)).toMatchObject({ status: 'paused' });
    expect((await h.verb(id, 'pause')).status).toBe(503);
    h.peers.mode.down = false;
    // The breaker may still be open for a moment.
    await soon(async () => expect((await h.verb(id, 'pause')).status).toBe(200));
    expect(withdrawals(id).length).toBeGreaterThan(0);
    // What repeats it by itself may have one more under way.
    await soon(async () => {
      const done = withdrawals(id).length;
      expect((await h.verb(id, 'pause')).status).toBe(200);
      expect(withdrawals(id)).toHaveLength(done);
    });
  });

  it('repeats the withdrawal by itself', async () => {
    const id = await h.create();
    await h.verb(id, 'resume');
    await h.dials(id, 1);
    h.peers.mode.down = true;
    expect((await h.verb(id, 'cancel')).status).toBe(503);
    h.peers.mode.down = false;
    await soon(() => expect(withdrawals(id).length).toBeGreaterThan(0));
  });
});

describe('POST /v1/campaigns/{id}/cancel', () => {
  it.each(['draft', 'scheduled', 'paused', 'dormant'])('ends a %s one at once', async (status) => {
    const more = {
      draft: {},
      scheduled: { scheduled_at: ahead },
      paused: { scheduled_at: ahead },
      dormant: { business_hours: closedNow() },
    }[status];
    const id = await h.create(more);
    if (status === 'paused') await h.verb(id, 'pause');
    if (status === 'dormant') await h.verb(id, 'resume');
    expect(await h.read(id)).toMatchObject({ status });
    const { data } = await h.verb(id, 'cancel');
    expect(data).toMatchObject({ status: 'cancelled', started_at: null, completed_at: expect.any(String) });
    expect((await h.verb(id, 'cancel')).data).toEqual(data);
    expect(await h.verb(id, 'pause')).toMatchObject(conflict('cancelled'));
    expect(withdrawals(id)).toHaveLength(0);
  });

  it('lets calls in progress continue and counts them, without another attempt', async () => {
    const id = await h.create({ contacts: h.contactsOf(4), max_retries: 3 });
    await h.verb(id, 'resume');
    const [first, second, third] = await h.dials(id, 4);
    if (!first || !second || !third) throw new Error('no dials');
    for (const dial of [first, second]) await h.say.dialing(dial);
    await soon(async () => expect(await h.contacts(id, '?status=dialing')).toHaveLength(2));
    await h.verb(id, 'cancel');
    await h.say.refused(third, 'withdrawn');
    await h.say.ended(first, 'user_hangup');
    await h.say.ended(second, 'dial_no_answer');
    await soon(async () => {
      expect(await h.read(id)).toMatchObject({ status: 'cancelled', successful_calls: 1, failed_calls: 1 });
      expect((await h.contacts(id)).map(({ status }) => status).slice(0, 3)).toEqual([
        'succeeded',
        'failed',
        'cancelled',
      ]);
    });
  });

  it('starts no dial after its response', async () => {
    const id = await h.create({ contacts: h.contactsOf(100) }, 10);
    await h.verb(id, 'resume');
    const dials = await h.dials(id, 30);
    await h.verb(id, 'cancel');
    for (const dial of dials) await h.say.dialing(dial);
    await soon(async () => expect(await h.contacts(id, '?status=dialing')).toHaveLength(30));
    // The dispatcher has been round since: another campaign got its dial.
    const next = await h.create();
    await h.verb(next, 'resume');
    await h.dials(next, 1);
    expect(h.dialsOf(id)).toHaveLength(30);
  });
});
