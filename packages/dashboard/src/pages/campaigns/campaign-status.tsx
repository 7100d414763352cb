import { Badge } from '@mantine/core';
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

const COLORS: Readonly<Record<CampaignStatus, string>> = {
  draft: 'gray',
  scheduled: 'blue',
  running: 'green',
  dormant: 'yellow',
  paused: 'orange',
  completed: 'gray',
  cancelled: 'gray',
};

export function CampaignBadge({ status }: { status: CampaignStatus }) {
  return (
    <Badge color={COLORS[status]} variant={status === 'running' ? 'filled' : 'default'} tt="none" fw={500}>
      {STATUS_WORDS[status]}
    </Badge>
  );
}
