import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@parley/client';
import type { campaign } from '@parley/contracts';
import type { Clock } from '@parley/kit/time';
import type { z } from 'zod';
import type { Person } from './contacts.ts';
import type { Pace } from './pace.ts';
import { type Contact, countContacts, fingerprint, type Progress } from './progress.ts';

export type Campaign = z.output<typeof campaign>;
export type CampaignState = { campaign: Campaign; contacts: Contact[] };

type Input = { agentId: string; fromNumber: string; people: readonly Person[]; pace: Pace };

/** Creates a draft, which does not dial yet. */
export async function draftCampaign(client: Client, input: Input): Promise<string> {
  const { agentId, fromNumber, people, pace } = input;
  const { campaign_id } = await client.campaigns.create({
    campaign_name: 'Bicycles to be picked up',
    agent_id: agentId,
    phone_number: fromNumber,
    max_retries: 1,
    retry_intervals: [pace.retryMinutes],
    contacts: people.map(({ phoneNumber, name, customData }) => ({
      phone_number: phoneNumber,
      contact_name: name,
      custom_data: customData,
    })),
  });
  return campaign_id;
}

type Watch = {
  clock: Clock;
  stopping: AbortSignal;
  /** Maximum real time without a change before it gives up. */
  timeoutMs: number;
  onProgress: (progress: Progress) => void;
};

const POLL_MS = 600;

/** Starts the campaign and follows it until it ends or stops making progress. */
export async function runCampaign(client: Client, id: string, watch: Watch): Promise<CampaignState> {
  await client.campaigns.resume(id, { signal: watch.stopping });
  let last = { state: '', at: performance.now() };
  for (;;) {
    const state = await readCampaign(client, id, watch.stopping);
    const progress = countContacts(state.contacts, watch.clock.now(), watch.clock.rate);
    watch.onProgress(progress);
    if (state.campaign.status === 'completed' || state.campaign.status === 'cancelled') return state;
    const now = fingerprint(progress);
    if (now !== last.state) last = { state: now, at: performance.now() };
    if (performance.now() - last.at > watch.timeoutMs) return state;
    await sleep(POLL_MS, undefined, { signal: watch.stopping });
  }
}

/** Contacts of a completed campaign no longer change, so they are read after the campaign. */
async function readCampaign(client: Client, id: string, signal: AbortSignal): Promise<CampaignState> {
  const campaign = await client.campaigns.get(id, { signal });
  const { items } = await client.campaigns.listContacts(id, { limit: 1000 }, { signal });
  return { campaign, contacts: items };
}

const CANCEL_TIMEOUT_MS = 5_000;

/** Cancels a campaign whose receiver is about to stop. No effect on one that has ended. */
export async function abandonCampaign(client: Client, id: string): Promise<void> {
  await client.campaigns.cancel(id, { deadlineMs: CANCEL_TIMEOUT_MS }).catch(() => undefined);
}
