import { setTimeout as sleep } from 'node:timers/promises';
import { getCall, listCalls } from '@parley/contracts';
import type { Api } from './api.ts';
import type { Campaign, CampaignState } from './campaign.ts';
import type { Person } from './contacts.ts';
import { type Deliveries, expectedEvents } from './deliveries.ts';
import type { Contact } from './progress.ts';
import type { Call } from './single-call.ts';

/** A person of the campaign and what came of them; calls oldest first. */
export type PersonResult = { person: Person; contact: Contact | undefined; calls: Call[] };

/** All that the demo has to show for itself. */
export type Results = { single: Call; campaign: Campaign; people: PersonResult[]; calls: Call[] };

type Input = { single: Call; state: CampaignState; people: readonly Person[] };

const AT_ONCE = 4;

/** Reads every call back. spec: POST /v2/call/list, GET /v2/call/{id} */
export async function readResults(api: Api, { single, state, people }: Input): Promise<Results> {
  const { campaign, contacts } = state;
  const body = { campaign_ids: [campaign.campaign_id], size: 1000 };
  const ids = (await api.send(listCalls, { body })).map(({ id }) => id).reverse();
  const calls: Call[] = [];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = ids.slice(from, from + AT_ONCE).map((id) => api.send(getCall, { params: { id } }));
    calls.push(...(await Promise.all(some)));
  }
  return {
    single,
    campaign,
    calls: [single, ...calls],
    people: people.map((person) => ({
      person,
      contact: contacts.find(({ phone_number }) => phone_number === person.phoneNumber),
      calls: calls.filter(({ to_number }) => to_number === person.phoneNumber),
    })),
  };
}

const EVERY_MS = 200;
const PATIENCE_MS = 30_000;

type Wait = { deliveries: Deliveries; stopping: AbortSignal; onWait: (missing: number) => void };

/** Waits for the events that are still on their way, as long as some arrive. */
export async function awaitDeliveries(calls: readonly Call[], wait: Wait): Promise<void> {
  let last = { missing: Number.POSITIVE_INFINITY, at: performance.now() };
  for (;;) {
    const missing = calls
      .map((call) => expectedEvents(call).length - wait.deliveries.ofCall(call.id).length)
      .reduce((sum, count) => sum + Math.max(0, count), 0);
    if (missing === 0) return;
    wait.onWait(missing);
    if (missing !== last.missing) last = { missing, at: performance.now() };
    if (performance.now() - last.at > PATIENCE_MS) return;
    await sleep(EVERY_MS, undefined, { signal: wait.stopping });
  }
}
