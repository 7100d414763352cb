import type { listCampaigns, ResponseOf } from '@parley/contracts';
import { IconPlus, IconSpeakerphone } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { api } from '../../../app/client.ts';
import { formatCount, formatShare } from '../../../app/format-number.ts';
import type { Column } from '../../../components/data-list/column.ts';
import { DataList } from '../../../components/data-list/data-list.tsx';
import { useList } from '../../../components/data-list/use-list.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { type Filter, FilterBar, isFiltered } from '../../../components/filter-bar/filter-bar.tsx';
import { Page } from '../../../components/page.tsx';
import { Phone } from '../../../components/phone.tsx';
import { RoleGate } from '../../../components/role-gate.tsx';
import { Time } from '../../../components/time.tsx';
import { LinkButton } from '../../calls/links.tsx';
import { CAMPAIGN_STATUSES } from '../campaign-search.ts';
import { CampaignBadge, STATUS_WORDS } from '../campaign-status.tsx';
import { ProgressBar } from '../progress-bar.tsx';

type Campaign = ResponseOf<typeof listCampaigns>;

const route = getRouteApi('/shell/campaigns');
const PAGE_SIZE = 50;

const FILTERS: readonly Filter[] = [
  { kind: 'text', name: 'q', label: 'Search by name' },
  {
    kind: 'one',
    name: 'status',
    label: 'Status',
    options: CAMPAIGN_STATUSES.map((value) => ({ value, label: STATUS_WORDS[value] })),
  },
];

const COLUMNS: readonly Column<Campaign>[] = [
  { id: 'name', header: 'Name', render: ({ campaign_name }) => campaign_name },
  { id: 'status', header: 'Status', width: 160, render: ({ status }) => <CampaignBadge status={status} /> },
  { id: 'progress', header: 'Progress', width: 240, render: (campaign) => <Progress campaign={campaign} /> },
  {
    id: 'reached',
    header: 'Reached',
    width: 90,
    align: 'right',
    render: ({ successful_calls, completed_calls }) => (
      <span className="numeric">
        {completed_calls === 0 ? '–' : formatShare(successful_calls / completed_calls)}
      </span>
    ),
  },
  {
    id: 'number',
    header: 'Calls from',
    width: 170,
    render: ({ phone_number }) => <Phone number={phone_number} none="Deleted number" />,
  },
  {
    id: 'created',
    header: 'Created',
    width: 130,
    align: 'right',
    render: ({ created_at }) => <Time at={created_at} />,
  },
  {
    id: 'started',
    header: 'Started',
    width: 130,
    align: 'right',
    isOptional: true,
    render: ({ started_at }) => <Time at={started_at} />,
  },
  {
    id: 'ended',
    header: 'Ended',
    width: 130,
    align: 'right',
    isOptional: true,
    render: ({ completed_at }) => <Time at={completed_at} />,
  },
];

export function CampaignsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList({
    queryKey: ['campaigns', search],
    request: (offset, signal) =>
      api.campaigns.list(
        {
          limit: PAGE_SIZE,
          ...(offset ? { offset } : {}),
          ...(search.q ? { search: search.q } : {}),
          ...(search.status ? { status: search.status } : {}),
        },
        { signal },
      ),
  });
  return (
    <Page title="Campaigns" actions={<NewCampaign />}>
      <DataList
        label="Campaigns"
        list={list}
        columns={COLUMNS}
        itemKey={({ campaign_id }) => campaign_id}
        link={({ campaign_id }) => ({ to: '/campaigns/$campaignId', params: { campaignId: campaign_id } })}
        toolbar={
          <FilterBar
            filters={FILTERS}
            values={search}
            onChange={(changes) =>
              void navigate({ search: (former) => ({ ...former, ...changes }), replace: true })
            }
          />
        }
        isFiltered={isFiltered(FILTERS, search)}
        noMatch={
          <EmptyState title="No campaign matches" icon={<IconSpeakerphone size={22} aria-hidden />}>
            Change or remove a filter.
          </EmptyState>
        }
        empty={
          <EmptyState
            title="No campaigns yet"
            icon={<IconSpeakerphone size={22} aria-hidden />}
            actions={<NewCampaign />}
          >
            A campaign calls everybody on a list with one assistant, at the hours and the pace that you
            choose, and tries again where there was no answer.
          </EmptyState>
        }
      />
    </Page>
  );
}

function NewCampaign() {
  return (
    <RoleGate minimum="developer">
      <LinkButton to="/campaigns/new" leftSection={<IconPlus size={16} aria-hidden />}>
        New campaign
      </LinkButton>
    </RoleGate>
  );
}

function Progress({ campaign }: { campaign: Campaign }) {
  const { completed_calls, total_contacts, successful_calls, failed_calls } = campaign;
  return (
    <ProgressBar
      total={total_contacts}
      parts={[
        { label: 'reached', count: successful_calls, color: 'good' },
        { label: 'not reached', count: failed_calls, color: 'bad' },
      ]}
      caption={`${formatCount(completed_calls)} of ${formatCount(total_contacts)}`}
    />
  );
}
