import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { testBus } from '@parley/testkit';
import { runBench } from '@parley/testkit/load';
import {
  cancel,
  createCampaign,
  type DiallingStage,
  pause,
  resume,
  stageDialling,
} from '@parley/testkit/stage';

// Campaigns of at least 300 contacts are paused and resumed ten times, at four paces, on the real clock and on a fast one,
// with the real services [campaigns.11]. Campaigns at a fast pace have enough contacts for ten pauses. Each contact must
// have as many calls as dials at the carrier, and each call one `call.ended`.
// BENCH_CPS (0.25,2,10,50), BENCH_CLOCKS (1,20). Requires Postgres (DATABASE_URL) and RabbitMQ (AMQP_URL); cleans up after
// itself.

const PACES = (process.env.BENCH_CPS ?? '0.25,2,10,50').split(',').map(Number);
const CLOCKS = (process.env.BENCH_CLOCKS ?? '1,20').split(',').map(Number);
const CONTACTS = 300;
const TIMES = 10;
/** How long a campaign dials before a pause. */
const MIN_DIALLING_MS = 300;
const MAX_DIALLING_MS = 2_300;
/** How long a pause takes on a busy machine; dials continue until the response. */
const PAUSING_MS = 1_000;
const DRAIN_MS = 90_000;

type Found = { calls: number; dials: number; ends: number; wrong: number; attempts: number };

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  let met = true;
  for (const clock of CLOCKS) {
    const stage = await stageDialling({ rate: clock, workers: 2, dispatchers: 1 }, lifecycle);
    const bus = await testBus(stage.prefix);
    lifecycle.onStop('bus', () => bus.close());
    for (const maxCps of PACES) {
      const line = await stage.connectNumber(maxCps);
      const perSecond = maxCps * clock;
      const needed = (perSecond * TIMES * (MAX_DIALLING_MS + PAUSING_MS)) / 1000;
      const id = await createCampaign(stage, line, Math.max(CONTACTS, Math.ceil(needed)));
      for (let turn = 0; turn < TIMES; turn += 1) {
        await resume(stage, id);
        await sleep(MIN_DIALLING_MS + Math.random() * (MAX_DIALLING_MS - MIN_DIALLING_MS));
        await pause(stage, id);
        await sleep(Math.random() * 1_000);
      }
      await cancel(stage, id);
      await drained(stage, id);
      const ended = new Set(bus.heard('call.ended').map(({ data }) => data.call_id));
      const found = await compare(stage, id, ended);
      met &&= found.wrong === 0 && found.calls === found.dials && found.attempts === found.calls;
      console.log(
        `clock ${clock}, max_cps ${maxCps}: ${found.calls} calls, ${found.dials} dials, ${found.ends} ends, ` +
          `${found.attempts} attempts, ${found.wrong} contacts differ`,
      );
    }
  }
  console.log(met ? 'bar met' : 'bar missed: calls = dials = ends = attempts, contact by contact');
  return met;
}

async function drained({ telephonySql }: DiallingStage, campaignId: string): Promise<void> {
  const givesUpAt = performance.now() + DRAIN_MS;
  for (;;) {
    const [row] = await telephonySql.$queryRaw<
      { live: number }[]
    >`SELECT (SELECT count(*) FROM calls WHERE campaign_id = ${campaignId}::uuid AND status <> 'completed')::int
        + (SELECT count(*) FROM outbox)::int AS live`;
    if (row?.live === 0 || performance.now() > givesUpAt) break;
    await sleep(250);
  }
  // Until the last messages are consumed.
  await sleep(2_000);
}

type Row = { contact: string; id: string | null; legs: number };

async function compare(
  { telephonySql, campaignsSql }: DiallingStage,
  campaignId: string,
  ended: ReadonlySet<string>,
): Promise<Found> {
  const rows = await telephonySql.$queryRaw<Row[]>`SELECT r.contact_id::text AS contact, c.id::text,
       (SELECT count(*)::int FROM simulated_legs l WHERE l.reference = r.call_id) AS legs
     FROM dial_requests r LEFT JOIN calls c ON c.id = r.call_id WHERE r.campaign_id = ${campaignId}::uuid`;
  const contacts = await campaignsSql.$queryRaw<
    { id: string; attempts: number }[]
  >`SELECT id::text, attempts FROM contacts WHERE campaign_id = ${campaignId}::uuid`;
  const wrong = rows.filter(({ id, legs }) => legs !== (id ? 1 : 0) || (id && !ended.has(id)));
  const dialsOf = (contact: string): number =>
    rows.reduce((sum, row) => sum + (row.contact === contact ? row.legs : 0), 0);
  const miscounted = contacts.filter(({ id, attempts }) => attempts !== dialsOf(id));
  return {
    calls: rows.filter(({ id }) => id).length,
    dials: rows.reduce((sum, { legs }) => sum + legs, 0),
    ends: rows.filter(({ id }) => id && ended.has(id)).length,
    attempts: contacts.reduce((sum, { attempts }) => sum + attempts, 0),
    wrong: wrong.length + miscounted.length,
  };
}

await runBench(bench);
