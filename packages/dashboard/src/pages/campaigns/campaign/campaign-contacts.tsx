import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Column } from '../../../components/data-list/column.ts';
import { DataList } from '../../../components/data-list/data-list.tsx';
import { useList } from '../../../components/data-list/use-list.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { type Filter, FilterBar, isFiltered } from '../../../components/filter-bar/filter-bar.tsx';
import { Phone } from '../../../components/phone.tsx';
import { Time } from '../../../components/time.tsx';
import { TextLink } from '../../calls/links.tsx';
import { ReasonOutcome } from '../../calls/outcome.tsx';
import { type PillTone, StatusPill } from '../../calls/status-pill.tsx';
import { CONTACT_STATUSES, type ContactStatus } from '../campaign-search.ts';
import { CONTACTS_PAGE_SIZE, type Contact, contactsRequest } from './campaign-queries.ts';

const route = getRouteApi('/shell/campaigns/$campaignId');

const STATUS_WORDS: Readonly<Record<ContactStatus, string>> = {
  pending: 'Waiting',
  dialing: 'Being dialed',
  in_progress: 'In a call',
  retrying: 'Will be tried again',
  succeeded: 'Reached',
  failed: 'Not reached',
  cancelled: 'Not called',
};
const TONES: Readonly<Record<ContactStatus, PillTone>> = {
  pending: 'none',
  dialing: 'live',
  in_progress: 'live',
  retrying: 'warn',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'none',
};

const FILTERS: readonly Filter[] = [
  { kind: 'text', name: 'search', label: 'Search by number or name' },
  {
    kind: 'one',
    name: 'status',
    label: 'Status',
    options: CONTACT_STATUSES.map((value) => ({ value, label: STATUS_WORDS[value] })),
  },
];

const COLUMNS: readonly Column<Contact>[] = [
  {
    id: 'number',
    header: 'Contact',
    width: 170,
    render: ({ phone_number }) => <Phone number={phone_number} />,
  },
  {
    id: 'name',
    header: 'Name',
    render: ({ contact_name }) => <bdi>{contact_name ?? '–'}</bdi>,
  },
  {
    id: 'status',
    header: 'Status',
    width: 140,
    render: ({ status }) => <StatusPill tone={TONES[status]}>{STATUS_WORDS[status]}</StatusPill>,
  },
  {
    id: 'outcome',
    header: 'Last outcome',
    width: 170,
    render: ({ last_outcome }) => (last_outcome === null ? '–' : <ReasonOutcome reason={last_outcome} />),
  },
  {
    id: 'attempts',
    header: 'Attempts',
    width: 90,
    align: 'right',
    render: ({ attempts }) => <span className="numeric">{attempts}</span>,
  },
  {
    id: 'next',
    header: 'Next attempt',
    width: 120,
    align: 'right',
    render: ({ next_attempt_at }) => <Time at={next_attempt_at} />,
  },
  {
    id: 'call',
    header: 'Call',
    width: 90,
    align: 'right',
    render: ({ last_call_id }) =>
      last_call_id === null ? (
        '–'
      ) : (
        <TextLink to="/calls/$callId" params={{ callId: last_call_id }} size="sm">
          Open call
        </TextLink>
      ),
  },
  {
    id: 'data',
    header: 'Variables',
    isOptional: true,
    render: ({ custom_data }) => (
      <Text size="xs" className="truncate" title={JSON.stringify(custom_data)}>
        {JSON.stringify(custom_data)}
      </Text>
    ),
  },
];

/** A longer list is not requested again as a whole, again and again: it says that it has changed. */
const MAX_REFRESHED = 3 * CONTACTS_PAGE_SIZE;

/** A search reads all contacts: of more than these it is not repeated with every change. */
const MAX_SEARCHED_LIVE = 100_000;

type Props = {
  campaignId: string;
  /** Whenever this changes, the contacts have. Undefined until it is known. */
  state: string | undefined;
  /** Of the campaign. */
  total: number;
};

/** The contacts with their outcomes. */
export function CampaignContacts({ campaignId, state, total }: Props) {
  const { status, search } = route.useSearch();
  const navigate = route.useNavigate();
  const isLive = !search || total <= MAX_SEARCHED_LIVE;
  const list = useList({
    ...contactsRequest(isLive ? 'contacts' : 'contact-search', campaignId, { status, search }),
    isLive,
  });
  const queryClient = useQueryClient();
  const isShort = list.items.length <= MAX_REFRESHED;
  const former = useRef(state);
  useEffect(() => {
    const hasChanged = former.current !== undefined && former.current !== state;
    former.current = state;
    if (!hasChanged) return;
    const refetchType = isShort ? 'active' : 'none';
    void queryClient.invalidateQueries({ queryKey: ['contacts', campaignId], refetchType });
    void queryClient.invalidateQueries({ queryKey: ['contact-search', campaignId], refetchType: 'none' });
  }, [state]);
  return (
    <DataList
      label="Contacts"
      list={list}
      columns={COLUMNS}
      itemKey={({ id }) => id}
      toolbar={
        <FilterBar
          filters={FILTERS}
          values={{ status, search }}
          onChange={(changes) =>
            void navigate({
              search: (former) => ({ ...former, ...changes }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      }
      isFiltered={isFiltered(FILTERS, { status, search })}
      empty={
        <EmptyState title="No contacts">
          They are removed after the time that the workspace keeps them.
        </EmptyState>
      }
      noMatch={
        search === undefined ? (
          <EmptyState title="No contact has this status">Choose another one.</EmptyState>
        ) : (
          <EmptyState title="No contact matches">
            Search a part of the name, or of the number, such as its last digits.
          </EmptyState>
        )
      }
    />
  );
}
