import {
  cancelCampaign,
  createCampaign,
  explainCampaign,
  getCampaign,
  listCampaigns,
  pauseCampaign,
  resumeCampaign,
} from '../endpoints/campaigns.ts';
import { appendContacts, listContacts } from '../endpoints/contacts.ts';
import { addToDoNotCall, listDoNotCall } from '../endpoints/do-not-call.ts';
import { example } from './example.ts';
import { CALLEE, IDS, NUMBER } from './story.ts';

const CREATED = '2026-03-14T09:20:11.640Z';
const NOW = '2026-03-14T09:41:05.008Z';

const created = {
  campaign_id: IDS.campaign,
  campaign_name: 'Reminders of March',
  total_contacts: 2_500,
  business_hours: { tz: 'Europe/Berlin', days: [1, 2, 3, 4, 5], windows: [{ start: 540, end: 1_020 }] },
  scheduled_at: null,
  created_at: CREATED,
};

const campaign = {
  ...created,
  agent_id: IDS.assistant,
  phone_number: NUMBER,
  status: 'running' as const,
  completed_calls: 814,
  successful_calls: 790,
  failed_calls: 24,
  started_at: '2026-03-14T09:20:30.002Z',
  completed_at: null,
  updated_at: NOW,
};

export const campaignExamples = [
  example(createCampaign, { ...created, status: 'draft' }),
  example(getCampaign, campaign),
  example(resumeCampaign, campaign),
  example(pauseCampaign, { ...campaign, status: 'paused' }),
  example(cancelCampaign, { ...campaign, status: 'cancelled', completed_at: NOW }),
  example(listCampaigns, campaign),
  example(explainCampaign, {
    campaign_id: IDS.campaign,
    at: NOW,
    state: 'running',
    reasons: [{ code: 'pace', message: 'The number places at most 1 call per second.' }],
    hours: {
      is_open: true,
      tz: 'Europe/Berlin',
      next_opening_at: null,
      next_closing_at: '2026-03-14T16:00:00.000Z',
    },
    pace: { max_cps: 1, next_slot_at: '2026-03-14T09:41:05.500Z', waiting: 4 },
    concurrency: { live: 12, most: 100 },
    carrier: { is_number_active: true, call_workers: 2, last_failed_at: null },
    circuit: {
      state: 'closed',
      failures_in_a_row: 0,
      last_failed_at: null,
      opened_at: null,
      openings: 0,
      next_probe_at: null,
    },
    contacts: {
      total: 2_500,
      pending: 1_600,
      retry_due: 0,
      retry_later: 70,
      next_retry_at: '2026-03-14T09:44:00.000Z',
      requested: 4,
      dialing: 2,
      in_progress: 10,
      succeeded: 790,
      failed: 24,
    },
  }),
  example(appendContacts, { added: 1, total_contacts: 2_501 }),
  example(listContacts, {
    id: '0197f3cb-02c8-7d11-8a95-e4b7c60f2d10',
    phone_number: CALLEE,
    contact_name: 'Grace',
    custom_data: { appointment: 'Thursday at ten' },
    status: 'retrying',
    attempts: 1,
    last_call_id: IDS.call,
    last_outcome: 'dial_busy',
    next_attempt_at: '2026-03-14T09:44:00.000Z',
  }),
  example(addToDoNotCall, { added: 1 }),
  example(listDoNotCall, { phone_number: CALLEE, created_at: CREATED }),
];
