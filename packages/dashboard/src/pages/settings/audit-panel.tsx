import { Alert, Code } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../app/client.ts';
import type { Column } from '../../components/data-list/column.ts';
import { DataList } from '../../components/data-list/data-list.tsx';
import { useList } from '../../components/data-list/use-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { type Filter, FilterBar, isFiltered } from '../../components/filter-bar/filter-bar.tsx';
import { useRole } from '../../components/role-gate.tsx';
import { Time } from '../../components/time.tsx';

type Entry = Awaited<ReturnType<typeof api.auditLog.list>>['items'][number];

const FILTERS: Filter[] = [
  { kind: 'text', name: 'actor', label: 'E-mail address or id of who did it' },
  {
    kind: 'one',
    name: 'action',
    label: 'What',
    options: [
      { value: 'key', label: 'Keys' },
      { value: 'member', label: 'Members' },
      { value: 'workspace', label: 'Workspace' },
      { value: 'phone_number', label: 'Phone numbers' },
      { value: 'assistant', label: 'Assistants' },
      { value: 'webhook_secret', label: 'Webhook secret' },
      { value: 'do_not_call_list', label: 'Do-not-call list' },
    ],
  },
];

export function AuditPanel() {
  const { isAllowed, reason } = useRole('admin');
  if (!isAllowed) return <Alert color="gray">{reason}.</Alert>;
  return <AuditList />;
}

function AuditList() {
  const [filters, setFilters] = useState<Record<string, string | undefined>>({});
  const list = useList({
    queryKey: ['audit-log', filters],
    request: (offset = 0, signal) =>
      api.auditLog.list(
        {
          offset,
          limit: 50,
          ...(filters.actor ? { actor: filters.actor } : {}),
          ...(filters.action ? { action: filters.action } : {}),
        },
        { signal },
      ),
  });
  return (
    <DataList
      label="Changes"
      list={list}
      columns={COLUMNS}
      itemKey={({ id }) => id}
      isFiltered={isFiltered(FILTERS, filters)}
      toolbar={
        <FilterBar
          filters={FILTERS}
          values={filters}
          onChange={(changes) =>
            setFilters((former) => ({ ...former, ...(changes as Record<string, string | undefined>) }))
          }
        />
      }
      empty={
        <EmptyState icon={<IconHistory size={22} />} title="Nothing has changed yet">
          Changes to keys, members, secrets, numbers and limits appear here: who made them, when, and from
          which address.
        </EmptyState>
      }
      noMatch={<EmptyState title="Nothing matches">Try other filters.</EmptyState>}
    />
  );
}

const COLUMNS: Column<Entry>[] = [
  { id: 'action', header: 'Action', width: 210, render: ({ action }) => <Code>{action}</Code> },
  {
    id: 'target',
    header: 'Of',
    render: ({ target }) => <span title={target.id}>{target.name ?? target.id}</span>,
  },
  {
    id: 'actor',
    header: 'By',
    width: 210,
    render: ({ actor }) => (
      <span title={`${actor.kind} ${actor.id}`}>{actor.name ?? `${actor.kind} ${actor.id}`}</span>
    ),
  },
  {
    id: 'changes',
    header: 'Changes',
    render: ({ changes }) => <span title={JSON.stringify(changes, null, 2)}>{shortChanges(changes)}</span>,
  },
  { id: 'address', header: 'From', width: 140, isWideOnly: true, render: ({ address }) => address ?? '–' },
  { id: 'at', header: 'When', width: 130, render: ({ at }) => <Time at={at} /> },
];

/** `role: viewer → admin` */
function shortChanges(changes: Record<string, unknown>): string {
  const parts = Object.entries(changes).map(([field, change]) => {
    const { from, to } = (change ?? {}) as { from?: unknown; to?: unknown };
    return `${field}: ${textOf(from)} → ${textOf(to)}`;
  });
  return parts.length > 0 ? parts.join(', ') : '–';
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
