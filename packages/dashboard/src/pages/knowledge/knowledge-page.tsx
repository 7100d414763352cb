import { IconBooks } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { api } from '../../app/client.ts';
import { plural } from '../../app/format-number.ts';
import type { Column } from '../../components/data-list/column.ts';
import { DataList } from '../../components/data-list/data-list.tsx';
import { useList } from '../../components/data-list/use-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterBar } from '../../components/filter-bar/filter-bar.tsx';
import { Page } from '../../components/page.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Time } from '../../components/time.tsx';
import { CreateBase } from './create-base.tsx';
import type { KnowledgeBase } from './queries.ts';

const route = getRouteApi('/shell/knowledge');
const FILTERS = [{ kind: 'text', name: 'search', label: 'Search knowledge bases' }] as const;
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
  const list = useList({
    queryKey: ['knowledge', 'bases', 'pages', search.search ?? ''],
    request: (offset, signal) =>
      api.knowledgeBases.list(
        {
          limit: 50,
          ...(offset === undefined ? {} : { offset }),
          ...(search.search ? { search: search.search } : {}),
        },
        { signal },
      ),
  });
  const open = (id: string) => void navigate({ to: '/knowledge/$id', params: { id } });
  return (
    <Page
      title="Knowledge"
      description="Documents that assistants look things up in while they talk. An assistant searches the bases that are ticked in its editor."
      actions={<CreateBase isPrimary onCreated={open} />}
    >
      <DataList
        label="Knowledge bases"
        list={list}
        columns={COLUMNS}
        itemKey={({ id }) => id}
        link={({ id }) => ({ to: '/knowledge/$id', params: { id } })}
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
            icon={<IconBooks size={22} />}
            title="No knowledge bases yet"
            actions={<CreateBase onCreated={open} />}
          >
            Put in what callers ask about: prices, opening hours, rules. Documents are searchable as soon as
            they are uploaded, and calls list what was found.
          </EmptyState>
        }
        noMatch={
          <EmptyState title="No knowledge base has this name">
            <TextLink to="/knowledge">Show all</TextLink>
          </EmptyState>
        }
      />
    </Page>
  );
}
