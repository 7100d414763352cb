import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../app/client.ts';
import type { Column } from '../../components/data-list/column.ts';
import { DataList } from '../../components/data-list/data-list.tsx';
import { type List, useList } from '../../components/data-list/use-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { lazyDialog } from '../../components/lazy-component.tsx';
import { RoleGate } from '../../components/role-gate.tsx';
import { Section } from '../../components/section.tsx';
import { Time } from '../../components/time.tsx';
import { deliveryWords } from '../calls/call/webhooks/delivery-words.ts';

const RetryFailedDialog = lazyDialog(() => import('./retry-failed-dialog.tsx'), 'RetryFailedDialog');

type Item = Awaited<ReturnType<typeof api.webhookEvents.listFailed>>['items'][number];

const COLUMNS: readonly Column<Item>[] = [
  { id: 'event', header: 'Event', width: 150, render: ({ event }) => event },
  {
    id: 'url',
    header: 'URL',
    render: ({ url }) => (url === null ? 'The assistant has none any more' : <span title={url}>{url}</span>),
  },
  {
    id: 'reason',
    header: 'Last result',
    render: ({ reason }) => (reason === null ? '–' : deliveryWords(reason, 0)),
  },
  {
    id: 'created',
    header: 'Created',
    width: 150,
    align: 'right',
    render: ({ created_at: at }) => <Time at={at} />,
  },
];

export function useFailedEvents(): List<Item> {
  return useList({
    queryKey: ['webhook-endpoints', 'failed'],
    request: (offset = 0, signal) => api.webhookEvents.listFailed({ offset, limit: 50 }, { signal }),
  });
}

/** The events that were given up, also those of URLs that assistants no longer have, and the way to send them all again [dashboard.74]. */
export function FailedEvents({ list, isShownEmpty }: { list: List<Item>; isShownEmpty: boolean }) {
  const [isRetrying, setRetrying] = useState(false);
  const hasSome = list.items.length > 0;
  if (!hasSome && !isShownEmpty && !list.error) return null;
  return (
    <>
      <Section
        title="Failed deliveries"
        description="Each was attempted 12 times in about a day, and is not sent again by itself. The attempts are on the page of its call."
        actions={
          hasSome ? (
            <RoleGate minimum="developer">
              <Button
                variant="default"
                leftSection={<IconRefresh size={16} />}
                onClick={() => setRetrying(true)}
              >
                Retry all failed
              </Button>
            </RoleGate>
          ) : null
        }
        flush
      >
        <DataList
          label="Failed events"
          list={list}
          columns={COLUMNS}
          itemKey={({ id }) => id}
          link={({ call_id: callId }) => ({
            to: '/calls/$callId',
            params: { callId },
            search: { tab: 'webhooks' },
          })}
          fixedColumns
          plain
          empty={
            <EmptyState title="No failed events">
              Every event was delivered, or is still being tried.
            </EmptyState>
          }
        />
      </Section>
      {isRetrying ? <RetryFailedDialog onClose={() => setRetrying(false)} /> : null}
    </>
  );
}
