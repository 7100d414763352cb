import { type PillTone, StatusPill } from '../calls/status-pill.tsx';
import type { CampaignStatus } from './campaign-search.ts';

export const STATUS_WORDS: Readonly<Record<CampaignStatus, string>> = {
  draft: 'Draft',
  scheduled: 'Scheduled',
  running: 'Running',
  dormant: 'Outside its hours',
  paused: 'Paused',
  completed: 'Completed',
  cancelled: 'Cancelled',
};

const TONES: Readonly<Record<CampaignStatus, PillTone>> = {
  draft: 'none',
  scheduled: 'live',
  running: 'good',
  dormant: 'warn',
  paused: 'warn',
  completed: 'none',
  cancelled: 'none',
};

export function CampaignBadge({ status }: { status: CampaignStatus }) {
  return <StatusPill tone={TONES[status]}>{STATUS_WORDS[status]}</StatusPill>;
}
