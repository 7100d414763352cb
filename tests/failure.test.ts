import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { bootPlatform, type KillableServer, killableBroker, type Platform } from '@parley/testkit/stage';
import { eventsByCall, setUpAssistant } from './platform/fixtures.ts';

let broker: KillableServer;
let platform: Platform;
let server: Receiver;

/** `npm run chaos -- outages` runs this longer: contacts, stack seconds in a real one, pause before each kill. */
const { OUTAGE_CONTACTS = '60', OUTAGE_CLOCK_RATE = '10', OUTAGE_PAUSE_MS = '500' } = process.env;
const CONTACTS = Number(OUTAGE_CONTACTS);
const PAUSE_MS = Number(OUTAGE_PAUSE_MS);

beforeAll(async () => {
  [broker, server] = await Promise.all([killableBroker(), receiver()]);
  platform = await bootPlatform({ clockRate: Number(OUTAGE_CLOCK_RATE), brokerUrl: broker.url });
  await platform.parley(
    'workspace',
    'set',
    '--workspace',
    platform.workspace.workspace_id,
    '--max-live-calls',
    '60',
  );
});

afterAll(async () => {
  await platform?.stop();
  await server?.close();
  await broker?.stop();
});

/** How a contact ends, and after how many attempts with one retry. */
const EXPECTED: Record<string, [status: string, attempts: number]> = {
  '0001': ['failed', 2],
  '0002': ['failed', 2],
  '0003': ['failed', 2],
  '0004': ['failed', 2],
  '0005': ['failed', 1],
};
const ORDINARY: [string, number] = ['succeeded', 1];

function contacts() {
  const special = Object.keys(EXPECTED);
  return Array.from({ length: CONTACTS }, (_, i) => ({
    phone_number: `+1303${String(500 + i)}${special[i % 20] ?? String(2000 + i)}`,
    contact_name: `Contact ${i}`,
    custom_data: { day: 'Friday' },
  }));
}

async function startCampaign(): Promise<string> {
  const { api } = platform;
  const { assistant, number } = await setUpAssistant(platform, server, 50);
  const { campaign_id } = await api.data('POST', '/v1/campaigns', {
    campaign_name: 'Under fire',
    agent_id: assistant.id,
    phone_number: number.phone_number,
    max_retries: 1,
    retry_intervals: [1],
    contacts: contacts(),
  });
  await api.data('POST', `/v1/campaigns/${campaign_id}/resume`);
  return campaign_id;
}

async function completed(campaignId: string) {
  return eventually(
    async () => {
      const campaign = await platform.api.data('GET', `/v1/campaigns/${campaignId}`);
      expect(campaign).toMatchObject({ status: 'completed', completed_calls: CONTACTS });
      return campaign;
    },
    { timeoutMs: 120_000, everyMs: 250 },
  );
}

type Contact = { phone_number: string; status: string; attempts: number; last_outcome: string };
type Call = { id: string; to_number: string; answered_at: string | null; disconnection_reason: string };

/**
 * Every contact dialed as often as it should be, no attempt twice, every event delivered in order. An attempt that was
 * committed when its process died, and never left for the carrier, is a failed dial and is made up for by a retry.
 */
async function expectNothingLostNothingTwice(campaignId: string): Promise<void> {
  const { api } = platform;
  const contacts: Contact[] = (await api.request('GET', `/v1/campaigns/${campaignId}/contacts?limit=1000`))
    .body.data;
  const listed = await api.request('POST', '/v2/call/list', { campaign_ids: [campaignId], size: 1000 });
  const calls: Call[] = listed.body.data;
  const legs = await platform.query<{ reference: string; times: number }>(
    'telephony',
    'SELECT reference::text, count(*)::int AS times FROM simulated_legs GROUP BY 1',
  );
  expect(legs.filter(({ times }) => times > 1)).toEqual([]);
  const left = new Set(legs.map(({ reference }) => reference));
  const lost = calls.filter(({ id }) => !left.has(id));
  expect(lost.filter(({ disconnection_reason }) => disconnection_reason !== 'dial_failed')).toEqual([]);

  const unexpected = contacts.flatMap((contact) => {
    const own = calls.filter(({ to_number }) => to_number === contact.phone_number);
    const [status, dials] = EXPECTED[contact.phone_number.slice(-4)] ?? ORDINARY;
    const lostOnes = own.filter(({ id }) => !left.has(id)).length;
    // A lost attempt of a contact that fails anyway used up its retry; of an ordinary one, the retry reached it.
    const expected = status === 'succeeded' ? dials : Math.min(dials, contact.attempts - lostOnes);
    const asExpected =
      contact.status === status && contact.attempts === own.length && own.length - lostOnes === expected;
    return asExpected
      ? []
      : [{ ...contact, calls: own.map((call) => ({ ...call, left: left.has(call.id) })) }];
  });
  expect(unexpected).toEqual([]);
  expect(left.size + lost.length).toBe(calls.length);

  await eventually(
    () => {
      const got = eventsByCall(server);
      const wrong = calls.filter(({ id, answered_at }) => {
        const expected = [...(answered_at ? ['call_started'] : []), 'call_ended', 'call_analyzed'];
        // A receiver may get a repetition of an event that it acknowledged to a dying process.
        return [...new Set(got.get(id))].join() !== expected.join();
      });
      expect(wrong).toEqual([]);
    },
    { timeoutMs: 60_000, everyMs: 250 },
  );
}

describe(`${CONTACTS} contacts at max_cps 50`, () => {
  it('are all dialed, although every service and the broker are killed once', async () => {
    const campaignId = await startCampaign();
    for (const service of ['telephony', 'campaigns'] as const) {
      await sleep(PAUSE_MS);
      await platform.kill(service);
    }
    await sleep(PAUSE_MS);
    await broker.kill();
    for (const service of ['webhooks', 'assistants', 'gateway'] as const) {
      await sleep(PAUSE_MS);
      await platform.kill(service);
    }
    await eventually(async () => expect((await platform.api.request('GET', '/v1/voice')).status).toBe(200), {
      timeoutMs: 60_000,
    });
    const campaign = await completed(campaignId);
    expect(campaign).toMatchObject({
      total_contacts: CONTACTS,
      successful_calls: (CONTACTS * 3) / 4,
      failed_calls: CONTACTS / 4,
    });
    await expectNothingLostNothingTwice(campaignId);
  }, 240_000);
});
