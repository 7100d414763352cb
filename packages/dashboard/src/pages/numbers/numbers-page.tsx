import { Text } from '@mantine/core';
import { IconPhonePlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { api } from '../../app/client.ts';
import type { Column } from '../../components/data-list/column.ts';
import { SearchedList } from '../../components/data-list/searched-list.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Page } from '../../components/page.tsx';
import { Phone } from '../../components/phone.tsx';
import { Time } from '../../components/time.tsx';
import { ConnectNumber } from './connect-number.tsx';
import { NumberState } from './number-state.tsx';
import type { PhoneNumber } from './queries.ts';

const route = getRouteApi('/shell/numbers');

const COLUMNS: readonly Column<PhoneNumber>[] = [
  {
    id: 'number',
    header: 'Number',
    width: 180,
    render: ({ phone_number }) => <Phone number={phone_number} />,
  },
  { id: 'nickname', header: 'Nickname', render: ({ nickname }) => nickname ?? '–' },
  { id: 'state', header: 'State', width: 120, render: (number) => <NumberState number={number} /> },
  { id: 'inbound', header: 'Answers', render: ({ inbound_agent_name: name }) => name ?? <Nobody /> },
  { id: 'outbound', header: 'Calls', render: ({ outbound_agent_name: name }) => name ?? <Nobody /> },
  { id: 'pace', header: 'Pace', width: 90, align: 'right', render: ({ max_cps: pace }) => `${pace} per s` },
  {
    id: 'provider',
    header: 'Connected by',
    width: 120,
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
  const open = (id: string) => void navigate({ to: '/numbers/$id', params: { id } });
  return (
    <Page
      title="Numbers"
      description="Phone numbers that assistants answer and call from."
      actions={<ConnectNumber onConnected={open} />}
    >
      <SearchedList
        label="Numbers"
        noun="number"
        columns={COLUMNS}
        itemKey={({ id }) => id}
        link={({ id }) => ({ to: '/numbers/$id', params: { id } })}
        search={search.search}
        onSearch={(text) =>
          void navigate({ search: (former) => ({ ...former, search: text }), replace: true })
        }
        queryKey={['numbers', 'list']}
        request={(query, page, signal) =>
          api.phoneNumbers.list({ ...query, size: 50, ...(page ? { page } : {}) }, { signal })
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
      />
    </Page>
  );
}
