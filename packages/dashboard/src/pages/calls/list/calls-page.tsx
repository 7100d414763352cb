import { Button, Skeleton, Stack } from '@mantine/core';
import { IconDownload, IconPhone } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { formatCount, plural } from '../../../app/format-number.ts';
import { useZone } from '../../../app/zone.ts';
import { ChangedNote } from '../../../components/changed-note.tsx';
import { ColumnChooser } from '../../../components/data-list/column-chooser.tsx';
import { useColumns } from '../../../components/data-list/use-columns.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Page } from '../../../components/page.tsx';
import { Tooltip } from '../../../components/tooltip.tsx';
import { LinkButton } from '../links.tsx';
import { CallNumber } from '../place/call-number.tsx';
import { COLUMNS } from './call-columns.tsx';
import { CallList } from './call-list.tsx';
import { type CallSearch, exportPath, isFiltered, toFilters } from './call-search.ts';
import styles from './calls-page.module.css';
import { FilterBar } from './filter-bar.tsx';
import { LiveCalls } from './live-calls.tsx';
import { useCallPages } from './use-call-pages.ts';
import { useKeptPlace } from './use-kept-place.ts';

const route = getRouteApi('/shell/calls');

/** The list of calls, with every filter of the API in the URL. */
export function CallsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const zone = useZone();
  const columns = useColumns('calls', COLUMNS);
  const [visiblePages, setVisiblePages] = useState<readonly number[]>([1]);
  // `today` is that of when the list was opened.
  const filters = useMemo(() => toFilters(search, zone, new Date()), [search, zone]);
  const list = useCallPages(filters, visiblePages);
  const change = (changed: CallSearch) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false });
  const showVisible = useCallback((pages: number[]) => setVisiblePages(pages), []);
  const { first, showNew } = list;
  useKeptPlace(search, list.total > 0);
  // Nothing can move while there is nothing.
  const isFirstCall = list.total === 0 && list.newCount > 0;
  useEffect(() => {
    if (isFirstCall) void showNew();
  }, [isFirstCall, showNew]);
  return (
    <Page
      title="Calls"
      badge={
        first.data && list.total > 0 ? <span className={styles.count}>{formatCount(list.total)}</span> : null
      }
      actions={
        <>
          <Tooltip label="All calls that match the filters">
            <Button
              component="a"
              href={exportPath(filters)}
              download="calls.csv"
              variant="default"
              leftSection={<IconDownload size={16} aria-hidden />}
            >
              Export CSV
            </Button>
          </Tooltip>
          <CallNumber />
        </>
      }
    >
      <FilterBar
        search={search}
        onChange={change}
        onClear={() => void navigate({ search: {}, replace: true })}
      >
        <ColumnChooser columns={COLUMNS} chosen={columns} />
      </FilterBar>
      <LiveCalls search={search} />
      {first.isError && !first.data ? (
        <ErrorNote
          error={first.error}
          title="The calls could not be loaded"
          onRetry={() => void first.refetch()}
        />
      ) : null}
      {list.failed ? (
        <ErrorNote
          error={list.failed.error}
          title="Some calls could not be loaded"
          onRetry={() => void list.failed?.refetch()}
        />
      ) : null}
      {first.isPending ? <TableSkeleton /> : null}
      {first.data && list.total === 0 ? <NoCalls isFiltered={isFiltered(search)} /> : null}
      {list.total > 0 ? (
        <div className={`card ${styles.list}`} aria-busy={first.isPlaceholderData}>
          {list.newCount > 0 ? (
            <ChangedNote
              label={`Show ${plural(list.newCount, 'new call')}`}
              isBelowTitles
              onShow={() => {
                window.scrollTo({ top: 0 });
                void showNew();
              }}
            />
          ) : null}
          <CallList
            columns={columns.shown}
            total={list.total}
            callAt={list.callAt}
            onVisiblePages={showVisible}
          />
        </div>
      ) : null}
    </Page>
  );
}

function TableSkeleton() {
  return (
    <Stack gap="sm" className="card" p="md" role="status" aria-label="Calls are loading">
      {['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((row) => (
        <Skeleton key={row} height={20} radius="sm" />
      ))}
    </Stack>
  );
}

function NoCalls({ isFiltered: hasFilters }: { isFiltered: boolean }) {
  if (hasFilters) {
    return (
      <EmptyState title="No call matches" icon={<IconPhone size={22} aria-hidden />}>
        Change or remove a filter. The search looks at the called number and at call ids; for the number of a
        caller there is the filter From number.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No calls yet"
      icon={<IconPhone size={22} aria-hidden />}
      actions={
        <>
          <LinkButton to="/campaigns/new">New campaign</LinkButton>
          <LinkButton to="/numbers" variant="default">
            Connect a number
          </LinkButton>
        </>
      }
    >
      Calls appear here as soon as one is placed, arrives at one of your numbers, or begins on your web site.
    </EmptyState>
  );
}
