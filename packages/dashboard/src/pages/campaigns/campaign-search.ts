import { oneOf, text } from '../../app/search.ts';

export const CAMPAIGN_STATUSES = [
  'draft',
  'scheduled',
  'running',
  'dormant',
  'paused',
  'completed',
  'cancelled',
] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

export const CONTACT_STATUSES = [
  'pending',
  'dialing',
  'in_progress',
  'retrying',
  'succeeded',
  'failed',
  'cancelled',
] as const;
export type ContactStatus = (typeof CONTACT_STATUSES)[number];

export type CampaignSearch = {
  q?: string | undefined;
  status?: CampaignStatus | undefined;
  agent?: string | undefined;
};

export function readCampaignSearch(search: Record<string, unknown>): CampaignSearch {
  return {
    q: text(search.q)?.slice(0, 255),
    status: oneOf(CAMPAIGN_STATUSES, search.status),
    agent: text(search.agent),
  };
}

export type ContactSearch = { status?: ContactStatus | undefined; search?: string | undefined };

export function readContactSearch(search: Record<string, unknown>): ContactSearch {
  return { status: oneOf(CONTACT_STATUSES, search.status), search: text(search.search)?.slice(0, 255) };
}
