import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@parley/client';
import type { callListItem } from '@parley/contracts';
import type { z } from 'zod';
import type { Campaign, CampaignState } from './campaign.ts';
import type { Person } from './contacts.ts';
import { type Deliveries, expectedEvents } from './deliveries.ts';
import type { Contact } from './progress.ts';
import type { Call } from './single-call.ts';

/** A contact of the campaign and its outcome; calls oldest first. */
export type PersonResult = { person: Person; contact: Contact | undefined; calls: Call[] };

/** The results of a demo run. */
export type Results = { single: Call; campaign: Campaign; people: PersonResult[]; calls: Call[] };

type ListedCall = z.output<typeof callListItem>;

type Input = {
  single: Call;
  state: CampaignState;
  people: readonly Person[];
  deliveries: Pick<Deliveries, 'ofCall'>;
  stopping: AbortSignal;
  /** Called with the number of events that have not arrived. */
  onWait: (missing: number) => void;
};

/** Waits for the events of all calls, then reads the calls. */
export async function readResults(client: Client, input: Input): Promise<Results> {
  const { single, people } = input;
  const { campaign, contacts } = input.state;
  const filter = { campaign_ids: [campaign.campaign_id], size: 1000 };
  const { items: listed } = await client.calls.list(filter, { signal: input.stopping });
  await awaitDeliveries([single, ...listed], input);
  // Calls are read last: their analysis is complete once call_analyzed has arrived.
  const calls = await readCalls(client, listed, input.stopping);
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

const AT_ONCE = 4;

/** Takes calls newest first and returns them oldest first. */
async function readCalls(
  client: Client,
  listed: readonly ListedCall[],
  signal: AbortSignal,
): Promise<Call[]> {
  const ids = listed.map(({ id }) => id).reverse();
  const calls: Call[] = [];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = ids.slice(from, from + AT_ONCE).map((id) => client.calls.get(id, { signal }));
    calls.push(...(await Promise.all(some)));
  }
  return calls;
}

const EVERY_MS = 200;
const TIMEOUT_MS = 30_000;

/** Keeps waiting as long as some arrive. */
async function awaitDeliveries(
  calls: readonly ListedCall[],
  { deliveries, stopping, onWait }: Input,
): Promise<void> {
  let last = { missing: Number.POSITIVE_INFINITY, at: performance.now() };
  for (;;) {
    const missing = calls
      .map((call) => expectedEvents(call).length - deliveries.ofCall(call.id).length)
      .reduce((sum, count) => sum + Math.max(0, count), 0);
    if (missing === 0) return;
    onWait(missing);
    if (missing !== last.missing) last = { missing, at: performance.now() };
    if (performance.now() - last.at > TIMEOUT_MS) return;
    await sleep(EVERY_MS, undefined, { signal: stopping });
  }
}
