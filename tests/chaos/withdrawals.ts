import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { type TestBus, testBus } from '@parley/testkit';
import { runBench } from '@parley/testkit/load';
import {
  cancel,
  createCampaign,
  type DialingStage,
  pause,
  resume,
  stageDialing,
} from '@parley/testkit/stage';

// Campaigns of at least 300 contacts are paused and resumed ten times, at four paces, on the real clock and on a fast one,
// with the real services [campaigns.11]. Campaigns at a fast pace have enough contacts for ten pauses. The calls of each contact
// must be its dials at the carrier and its attempts. The webhooks service is not part of this stage: the events that it makes
// webhooks of are compared instead. Each call has one `call.ended` and one `call.analyzed`, and no event names another call.
// BENCH_CPS (0.25,2,10,50), BENCH_CLOCKS (1,20). Requires Postgres (DATABASE_URL) and RabbitMQ (AMQP_URL); cleans up after
// itself.

const PACES = (process.env.BENCH_CPS ?? '0.25,2,10,50').split(',').map(Number);
const CLOCKS = (process.env.BENCH_CLOCKS ?? '1,20').split(',').map(Number);
const CONTACTS = 300;
const TIMES = 10;
/** How long a campaign dials before a pause. */
const MIN_DIALING_MS = 300;
const MAX_DIALING_MS = 2_300;
/** How long a pause takes on a busy machine; dials continue until the response. */
const PAUSING_MS = 1_000;
const DRAIN_MS = 90_000;

type Found = {
  calls: number;
  dials: number;
  ended: number;
  analyzed: number;
  attempts: number;
  /** Contacts whose calls, dials, events and attempts are not the same. */
  wrong: number;
  /** Events that name a call which does not exist. */
  unknown: number;
};

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  let met = true;
  for (const clock of CLOCKS) {
    const stage = await stageDialing({ rate: clock, workers: 2, dispatchers: 1 }, lifecycle);
    const bus = await testBus(stage.prefix);
    lifecycle.onStop('bus', () => bus.close());
    for (const maxCps of PACES) {
      const line = await stage.connectNumber(maxCps);
      const perSecond = maxCps * clock;
      const needed = (perSecond * TIMES * (MAX_DIALING_MS + PAUSING_MS)) / 1000;
      const id = await createCampaign(stage, line, Math.max(CONTACTS, Math.ceil(needed)));
      for (let turn = 0; turn < TIMES; turn += 1) {
        await resume(stage, id);
        await sleep(MIN_DIALING_MS + Math.random() * (MAX_DIALING_MS - MIN_DIALING_MS));
        await pause(stage, id);
        await sleep(Math.random() * 1_000);
      }
      await cancel(stage, id);
      const isDrained = await drained(stage, id, bus);
      const found = await compare(stage, id, line.phoneNumber, bus);
      met &&= isDrained && found.wrong === 0 && found.unknown === 0;
      console.log(
        `clock ${clock}, max_cps ${maxCps}: ${found.calls} calls, ${found.dials} dials, ${found.ended} ended, ` +
          `${found.analyzed} analyzed, ${found.attempts} attempts, ${found.wrong} contacts differ, ` +
          `${found.unknown} events of unknown calls${isDrained ? '' : `; not drained after ${DRAIN_MS / 1_000} s`}`,
      );
    }
  }
  console.log(met ? 'bar met' : 'bar missed: calls = dials = events = attempts, contact by contact');
  return met;
}

/** Whether all calls are over and all their events arrived in time. */
async function drained({ telephonySql }: DialingStage, campaignId: string, bus: TestBus): Promise<boolean> {
  const givesUpAt = performance.now() + DRAIN_MS;
  for (;;) {
    const [row] = await telephonySql.$queryRaw<
      { calls: number; live: number }[]
    >`SELECT count(*)::int AS calls, count(*) FILTER (WHERE status <> 'completed')::int
        + (SELECT count(*) FROM outbox)::int AS live FROM calls WHERE campaign_id = ${campaignId}::uuid`;
    const isDrained = row?.live === 0 && eventsOf(bus, 'call.analyzed', campaignId).length >= row.calls;
    // Until the last messages are consumed.
    if (isDrained) await sleep(2_000);
    if (isDrained || performance.now() > givesUpAt) return isDrained;
    await sleep(250);
  }
}

/** A call or a dial of a contact, or an event of one. */
type OfContact = { contact: string | null; call: string };

/** A message may arrive twice. */
function eventsOf(bus: TestBus, type: 'call.ended' | 'call.analyzed', campaignId: string): OfContact[] {
  const messages = new Map(bus.received(type).map((message) => [message.id, message.data]));
  return [...messages.values()].flatMap(({ call_id: call, campaign }) =>
    campaign?.campaign_id === campaignId ? [{ contact: campaign.contact_id, call }] : [],
  );
}

async function compare(
  { telephonySql, campaignsSql }: DialingStage,
  campaignId: string,
  phoneNumber: string,
  bus: TestBus,
): Promise<Found> {
  const calls = await telephonySql.$queryRaw<
    OfContact[]
  >`SELECT contact_id::text AS contact, id::text AS call FROM calls WHERE campaign_id = ${campaignId}::uuid`;
  const dials = await telephonySql.$queryRaw<
    OfContact[]
  >`SELECT r.contact_id::text AS contact, l.reference::text AS call
    FROM simulated_legs l LEFT JOIN dial_requests r ON r.call_id = l.reference WHERE l.from_number = ${phoneNumber}`;
  const contacts = await campaignsSql.$queryRaw<
    { id: string; attempts: number }[]
  >`SELECT id::text, attempts FROM contacts WHERE campaign_id = ${campaignId}::uuid`;
  const ended = eventsOf(bus, 'call.ended', campaignId);
  const analyzed = eventsOf(bus, 'call.analyzed', campaignId);

  const lists = [calls, dials, ended, analyzed].map(callsByContact);
  const attempts = new Map<string | null, number>(contacts.map((contact) => [contact.id, contact.attempts]));
  const all = new Set([...attempts.keys(), ...lists.flatMap((list) => [...list.keys()])]);
  const wrong = [...all].filter((contact) => {
    const [ofCalls = [], ...others] = lists.map((list) => list.get(contact) ?? []);
    return (
      ofCalls.length !== attempts.get(contact) || others.some((list) => String(list) !== String(ofCalls))
    );
  });

  const existing = await telephonySql.$queryRaw<{ id: string }[]>`SELECT id::text FROM calls`;
  const known = new Set(existing.map(({ id }) => id));
  const events = [
    ...bus.received('call.started'),
    ...bus.received('call.ended'),
    ...bus.received('call.analyzed'),
  ];
  return {
    calls: calls.length,
    dials: dials.length,
    ended: ended.length,
    analyzed: analyzed.length,
    attempts: contacts.reduce((sum, contact) => sum + contact.attempts, 0),
    wrong: wrong.length,
    unknown: events.filter(({ data }) => !known.has(data.call_id)).length,
  };
}

function callsByContact(rows: readonly OfContact[]): Map<string | null, string[]> {
  const lists = new Map<string | null, string[]>();
  for (const { contact, call } of rows) lists.set(contact, [...(lists.get(contact) ?? []), call].sort());
  return lists;
}

await runBench(bench);
