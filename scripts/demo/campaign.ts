import { setTimeout as sleep } from 'node:timers/promises';
import {
  type campaign,
  cancelCampaign,
  createCampaign,
  getCampaign,
  listContacts,
  resumeCampaign,
} from '@parley/contracts';
import type { Clock } from '@parley/kit/time';
import type { z } from 'zod';
import type { Api } from './api.ts';
import type { Person } from './contacts.ts';
import type { Pace } from './pace.ts';
import { type Contact, countContacts, fingerprint, type Progress } from './progress.ts';

export type Campaign = z.output<typeof campaign>;
export type CampaignState = { campaign: Campaign; contacts: Contact[] };

type Input = { agentId: string; fromNumber: string; people: readonly Person[]; pace: Pace };

/** A draft: it dials nobody yet. spec: POST /v1/campaigns */
export async function draftCampaign(api: Api, input: Input): Promise<string> {
  const { agentId, fromNumber, people, pace } = input;
  const body = {
    campaign_name: `Bicycles to be picked up (${fromNumber})`,
    agent_id: agentId,
    phone_number: fromNumber,
    max_retries: 1,
    retry_intervals: [pace.retryMinutes],
    contacts: people.map(({ phoneNumber, name, customData }) => ({
      phone_number: phoneNumber,
      contact_name: name,
      custom_data: customData,
    })),
  };
  return (await api.send(createCampaign, { body })).campaign_id;
}

type Watch = {
  clock: Clock;
  stopping: AbortSignal;
  /** Gives up when nothing has changed for so long, in real time. */
  patienceMs: number;
  onProgress: (progress: Progress) => void;
};

const EVERY_MS = 600;

/** Starts it and follows it to its end, or until nothing moves any more. spec: D7.1 */
export async function runCampaign(api: Api, id: string, watch: Watch): Promise<CampaignState> {
  await api.send(resumeCampaign, { params: { id } });
  let last = { state: '', at: performance.now() };
  for (;;) {
    const state = await readCampaign(api, id);
    const progress = countContacts(state.contacts, watch.clock.now(), watch.clock.rate);
    watch.onProgress(progress);
    if (state.campaign.status === 'completed' || state.campaign.status === 'cancelled') return state;
    const now = fingerprint(progress);
    if (now !== last.state) last = { state: now, at: performance.now() };
    if (performance.now() - last.at > watch.patienceMs) return state;
    await sleep(EVERY_MS, undefined, { signal: watch.stopping });
  }
}

/** The contacts are read after the campaign: of one that is completed they can't change any more. */
async function readCampaign(api: Api, id: string): Promise<CampaignState> {
  const campaign = await api.send(getCampaign, { params: { id } });
  const contacts = await api.send(listContacts, { params: { id }, query: { limit: '1000' } });
  return { campaign, contacts };
}

const CANCELS_WITHIN_MS = 5_000;

/** So that it doesn't go on without its receiver. One that is over already stays as it is. */
export async function abandonCampaign(api: Api, id: string): Promise<void> {
  const signal = AbortSignal.timeout(CANCELS_WITHIN_MS);
  await api.send(cancelCampaign, { params: { id } }, signal).catch(() => undefined);
}
