import { IconBooks } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { api } from '../../app/client.ts';
import { plural } from '../../app/format-number.ts';
import type { Column } from '../../components/data-list/column.ts';
import { SearchedList } from '../../components/data-list/searched-list.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Page } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { CreateBase } from './create-base.tsx';
import type { KnowledgeBase } from './queries.ts';

const route = getRouteApi('/shell/knowledge');
const COLUMNS: readonly Column<KnowledgeBase>[] = [
  { id: 'name', header: 'Name', render: ({ name }) => name },
  {
    id: 'documents',
    header: 'Documents',
    width: 160,
    render: ({ document_count: count }) => plural(count, 'document'),
  },
  {
    id: 'updated',
    header: 'Changed',
    width: 180,
    render: ({ updated_at }) => <Time at={updated_at} as="relative" />,
  },
  {
    id: 'created',
    header: 'Created',
    width: 180,
    render: ({ created_at }) => <Time at={created_at} />,
    isOptional: true,
  },
];

export function KnowledgePage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const open = (id: string) => void navigate({ to: '/knowledge/$id', params: { id } });
  return (
    <Page
      title="Knowledge"
      description="Documents that assistants look things up in while they talk. An assistant searches the bases that are ticked in its editor."
      actions={<CreateBase isPrimary onCreated={open} />}
    >
      <SearchedList
        label="Knowledge bases"
        noun="knowledge base"
        columns={COLUMNS}
        itemKey={({ id }) => id}
        link={({ id }) => ({ to: '/knowledge/$id', params: { id } })}
        search={search.search}
        onSearch={(text) =>
          void navigate({ search: (former) => ({ ...former, search: text }), replace: true })
        }
        queryKey={['knowledge', 'bases', 'pages']}
        request={(query, offset, signal) =>
          api.knowledgeBases.list({ ...query, limit: 50, ...(offset ? { offset } : {}) }, { signal })
        }
        empty={
          <EmptyState
            icon={<IconBooks size={22} />}
            title="No knowledge bases yet"
            actions={<CreateBase onCreated={open} />}
          >
            Put in what callers ask about: prices, opening hours, rules. Documents are searchable as soon as
            they are uploaded, and calls list what was found.
          </EmptyState>
        }
      />
    </Page>
  );
}
