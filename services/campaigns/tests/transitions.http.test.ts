import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CampaignStatus } from '@parley/contracts';
import { createHarness, type Harness, soon } from './harness.ts';

let h: Harness;
beforeAll(async () => {
  h = await createHarness();
  await h.boot();
});
afterAll(() => h.close());

const AHEAD = '2099-06-01T10:00:00.000Z';

/** Hours that are closed now, whatever the hour. */
function closedNow() {
  const today = ((new Date().getUTCDay() + 6) % 7) + 1;
  return { tz: 'UTC', days: [((today + 1) % 7) + 1], windows: [{ start: 0, end: 1440 }] };
}

async function running(more: object = {}): Promise<string> {
  const id = await h.create({ contacts: h.contactsOf(2), ...more });
  await h.verb(id, 'resume');
  await h.dials(id, 2);
  return id;
}

/** Two contacts each; a running one has asked for both dials. */
const brought: Record<CampaignStatus, () => Promise<string>> = {
  draft: () => h.create({ contacts: h.contactsOf(2) }),
  scheduled: () => h.create({ contacts: h.contactsOf(2), scheduled_at: AHEAD }),
  running: () => running(),
  dormant: async () => {
    const id = await h.create({ contacts: h.contactsOf(2), business_hours: closedNow() });
    await h.verb(id, 'resume');
    return id;
  },
  paused: async () => {
    const id = await running();
    await h.verb(id, 'pause');
    return id;
  },
  completed: async () => {
    const id = await running();
    for (const dial of h.dialsOf(id)) await h.say.ended(dial, 'user_hangup');
    await soon(async () => expect(await h.read(id)).toMatchObject({ status: 'completed' }));
    return id;
  },
  cancelled: async () => {
    const id = await h.create({ contacts: h.contactsOf(2) });
    await h.verb(id, 'cancel');
    return id;
  },
};

type Cell = [
  from: CampaignStatus,
  verb: 'resume' | 'pause' | 'cancel',
  expected: CampaignStatus | 409,
  /** Generations of which telephony is told that it is not to dial any below them. */
  withdrawn?: number[],
];

/** [campaigns.5]; what a running campaign had asked for is taken back. Repeating that is safe, and replicas may. */
const CELLS: Cell[] = [
  ['draft', 'resume', 'running'],
  ['draft', 'pause', 409],
  ['draft', 'cancel', 'cancelled'],
  ['scheduled', 'resume', 'running'],
  ['scheduled', 'pause', 'paused'],
  ['scheduled', 'cancel', 'cancelled'],
  ['running', 'resume', 'running'],
  ['running', 'pause', 'paused', [2]],
  ['running', 'cancel', 'cancelled', [2]],
  ['dormant', 'resume', 'dormant'],
  ['dormant', 'pause', 'paused'],
  ['dormant', 'cancel', 'cancelled'],
  ['paused', 'resume', 'running', [2]],
  ['paused', 'pause', 'paused', [2]],
  ['paused', 'cancel', 'cancelled', [2]],
  ['completed', 'resume', 409],
  ['completed', 'pause', 409],
  ['completed', 'cancel', 409],
  ['cancelled', 'resume', 409],
  ['cancelled', 'pause', 409],
  ['cancelled', 'cancel', 'cancelled'],
];

const iso = expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/);
const hasRun = (from: CampaignStatus, to: CampaignStatus) =>
  [from, to].includes('running') || from === 'paused' || from === 'completed';

/** Also those that telephony had been asked for, once it has said that it gives them back. */
async function waitingAreCancelled(id: string): Promise<void> {
  for (const dial of h.dialsOf(id)) await h.say.refused(dial, 'withdrawn');
  await soon(async () => expect(await h.contacts(id, '?status=cancelled')).toHaveLength(2));
}

describe('the verbs, over HTTP [campaigns.5]', () => {
  it.each(CELLS)('%s, %s: %s [campaigns.5]', async (from, verb, expected, withdrawn = []) => {
    const id = await brought[from]();
    const before = await h.read(id);
    expect(before).toMatchObject({ status: from });
    const answer = await h.verb(id, verb);
    const done = from === 'completed' ? 2 : 0;
    const status = expected === 409 ? from : expected;
    if (expected === 409) {
      const error = { code: 'CONFLICT', message: expect.stringContaining(from) };
      expect([answer.status, answer.body]).toMatchObject([409, { success: false, error }]);
    } else {
      expect(answer.status).toBe(200);
      expect(answer.data).toEqual(await h.read(id));
    }
    if (status === from) expect(await h.read(id)).toEqual(before);
    expect(await h.read(id)).toMatchObject({
      status,
      total_contacts: 2,
      completed_calls: done,
      successful_calls: done,
      failed_calls: 0,
      started_at: hasRun(from, status) ? iso : null,
      completed_at: ['completed', 'cancelled'].includes(status) ? iso : null,
    });
    const withdrawals = h.peers.withdrawals.filter(({ campaign_id }) => campaign_id === id);
    expect(new Set(withdrawals.map(({ below_generation }) => below_generation))).toEqual(new Set(withdrawn));
    if (status === 'cancelled') await waitingAreCancelled(id);
    // Started by this verb, it dials; otherwise nothing is dialed but what was.
    if (from !== 'paused' && status === 'running') await h.dials(id, 2);
    else expect(h.dialsOf(id)).toHaveLength(['running', 'paused', 'completed'].includes(from) ? 2 : 0);
  });
});

describe('concurrent verbs [campaigns.5]', () => {
  it('pause and resume: the last one wins', async () => {
    for (let round = 0; round < 4; round += 1) {
      const id = await running();
      const [first, second] = h.dialsOf(id);
      if (!first || !second) throw new Error('no dials');
      const both = ['pause', 'resume', 'pause', 'resume'].map((verb) => h.verb(id, verb));
      for (const { status } of await Promise.all(both)) expect(status).toBe(200);
      const { status } = await h.read(id);
      expect(['running', 'paused']).toContain(status);
      const last = h.peers.withdrawals.filter(({ campaign_id }) => campaign_id === id).at(-1);
      await h.say.refused(first, 'withdrawn');
      await h.say.refused(second, 'withdrawn');
      if (status === 'paused') await h.verb(id, 'resume');
      const again = (await h.dials(id, 4)).slice(2);
      // What is asked for after a withdrawal is above it: it will be dialed.
      for (const { generation } of again)
        expect(generation).toBeGreaterThanOrEqual(last?.below_generation ?? 0);
      for (const dial of again) await h.say.ended(dial, 'user_hangup');
      await soon(async () => {
        expect(await h.read(id)).toMatchObject({
          status: 'completed',
          completed_calls: 2,
          successful_calls: 2,
        });
      });
    }
  }, 60_000);

  it('cancel and the end of the last call: cancelled or completed, counted once and permanently', async () => {
    const ends = new Set<unknown>();
    for (let round = 0; round < 4; round += 1) {
      const id = await h.create();
      await h.verb(id, 'resume');
      const [dial] = await h.dials(id, 1);
      if (!dial) throw new Error('no dial');
      // Some rounds let the call end first.
      const ended = h.say.ended(dial, 'user_hangup');
      if (round % 2) await soon(async () => expect(await h.read(id)).toMatchObject({ completed_calls: 1 }));
      const answer = await h.verb(id, 'cancel');
      await ended;
      await soon(async () => expect(await h.read(id)).toMatchObject({ completed_calls: 1 }));
      const read = await h.read(id);
      expect(read).toMatchObject({
        status: answer.status === 200 ? 'cancelled' : 'completed',
        successful_calls: 1,
      });
      expect((await h.verb(id, 'resume')).status).toBe(409);
      expect(await h.read(id)).toEqual(read);
      ends.add(read.status);
    }
    expect(ends).toContain('cancelled');
  }, 60_000);

  it('cancel, resume and pause: cancelled is final', async () => {
    for (let round = 0; round < 4; round += 1) {
      const id = await running();
      const verbs = ['pause', 'cancel', 'resume', 'pause'];
      const answers = await Promise.all(verbs.map((verb) => h.verb(id, verb)));
      expect(answers[1]).toMatchObject({ status: 200, data: { status: 'cancelled' } });
      for (const { status } of answers) expect([200, 409]).toContain(status);
      expect(await h.read(id)).toMatchObject({ status: 'cancelled', completed_at: iso });
    }
  });
});
