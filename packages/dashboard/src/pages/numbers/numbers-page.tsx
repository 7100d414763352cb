import { Text } from '@mantine/core';
import { IconPhonePlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { api } from '../../app/client.ts';
import type { Column } from '../../components/data-list/column.ts';
import { DataList } from '../../components/data-list/data-list.tsx';
import { useList } from '../../components/data-list/use-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterBar } from '../../components/filter-bar/filter-bar.tsx';
import { Page } from '../../components/page.tsx';
import { Phone } from '../../components/phone.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Time } from '../../components/time.tsx';
import { ConnectNumber } from './connect-number.tsx';
import { NumberState } from './number-state.tsx';
import type { PhoneNumber } from './queries.ts';

const route = getRouteApi('/shell/numbers');
const FILTERS = [{ kind: 'text', name: 'search', label: 'Search numbers' }] as const;

const COLUMNS: readonly Column<PhoneNumber>[] = [
  {
    id: 'number',
    header: 'Number',
    width: 190,
    render: ({ phone_number }) => <Phone number={phone_number} />,
  },
  { id: 'nickname', header: 'Nickname', render: ({ nickname }) => nickname ?? '–' },
  { id: 'state', header: 'State', width: 130, render: (number) => <NumberState number={number} /> },
  { id: 'inbound', header: 'Answers', render: ({ inbound_agent_name: name }) => name ?? <Nobody /> },
  { id: 'outbound', header: 'Calls', render: ({ outbound_agent_name: name }) => name ?? <Nobody /> },
  { id: 'pace', header: 'Pace', width: 110, align: 'right', render: ({ max_cps: pace }) => `${pace} per s` },
  {
    id: 'provider',
    header: 'Connected by',
    width: 140,
    render: ({ provider }) => (provider === 'telco' ? 'Account' : 'SIP trunk'),
  },
  {
    id: 'created',
    header: 'Added',
    width: 160,
    isOptional: true,
    render: ({ created_at }) => <Time at={created_at} />,
  },
];

function Nobody() {
  return (
    <Text span c="dimmed" size="sm">
      nobody
    </Text>
  );
}

export function NumbersPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList({
    queryKey: ['numbers', 'list', search.search ?? ''],
    request: (page, signal) =>
      api.phoneNumbers.list(
        {
          size: 50,
          ...(page === undefined ? {} : { page }),
          ...(search.search ? { search: search.search } : {}),
        },
        { signal },
      ),
  });
  const open = (id: string) => void navigate({ to: '/numbers/$id', params: { id } });
  return (
    <Page
      title="Numbers"
      description="Phone numbers that assistants answer and call from."
      actions={<ConnectNumber onConnected={open} />}
    >
      <DataList
        label="Numbers"
        list={list}
        columns={COLUMNS}
        itemKey={({ id }) => id}
        link={({ id }) => ({ to: '/numbers/$id', params: { id } })}
        isFiltered={search.search !== undefined}
        toolbar={
          <FilterBar
            filters={FILTERS}
            values={search}
            onChange={(changes) =>
              void navigate({ search: (former) => ({ ...former, ...changes }), replace: true })
            }
          />
        }
        empty={
          <EmptyState
            icon={<IconPhonePlus size={22} />}
            title="No numbers yet"
            actions={<ConnectNumber onConnected={open} />}
          >
            Connect a number that you have: by the SIP trunk of your carrier, or from an account that is
            imported. Then choose who answers it and who calls from it.
          </EmptyState>
        }
        noMatch={
          <EmptyState title="No number matches">
            <TextLink to="/numbers">Show all numbers</TextLink>
          </EmptyState>
        }
      />
    </Page>
  );
}
