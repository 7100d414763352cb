import { Button, Skeleton, Stack, Text } from '@mantine/core';
import type { WebhookEvent } from '@parley/contracts';
import { IconRefresh, IconWebhook } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../../app/client.ts';
import { plural } from '../../../../app/format-number.ts';
import { notifyDone, notifyError } from '../../../../app/notify.ts';
import { EmptyState } from '../../../../components/empty-state.tsx';
import { ErrorNote } from '../../../../components/error-note.tsx';
import { OutdatedNote } from '../../../../components/outdated-note.tsx';
import { RoleGate } from '../../../../components/role-gate.tsx';
import { Time } from '../../../../components/time.tsx';
import { StatusPill } from '../../status-pill.tsx';
import { webhooksQuery } from '../call-queries.ts';
import { AttemptDetails } from './attempt-details.tsx';
import type { CallWebhook } from './call-webhook.ts';
import { deliveryWords, EVENT_WORDS, resultWords } from './delivery-words.ts';
import styles from './webhooks.module.css';

/** Every webhook event of a call with its attempts, and retries. */
export function CallWebhooks({ callId }: { callId: string }) {
  const queryClient = useQueryClient();
  const events = useQuery(webhooksQuery(callId));
  const retry = useMutation({
    mutationFn: (names: WebhookEvent[]) => api.calls.resendWebhooks(callId, { events: names }),
    onSuccess: ({ results }) => {
      const failed = Object.values(results).some((result) => result && !result.ok);
      if (failed) notifyError(new Error(resultWords(results)), 'Not everything was delivered');
      else notifyDone(resultWords(results));
    },
    onError: (error) => notifyError(error, 'Nothing was sent'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['call-webhooks', callId] }),
  });
  if (!events.data)
    return events.isError ? (
      <ErrorNote error={events.error} onRetry={() => void events.refetch()} />
    ) : (
      <Skeleton height={180} aria-label="Webhooks are loading" />
    );
  if (events.data.length === 0) {
    return (
      <EmptyState title="No webhooks" icon={<IconWebhook size={22} aria-hidden />}>
        Events are sent if the assistant has a webhook URL when they happen: call_started, call_ended and
        call_analyzed.
      </EmptyState>
    );
  }
  // The newest edition of an event is what a retry sends.
  const names = [...new Set(events.data.map(({ event }) => event))];
  return (
    <Stack gap="sm">
      <OutdatedNote query={events} isPart />
      <div className={styles.toolbar}>
        <Text size="sm" c="dimmed">
          Every event with each attempt. A retry sends the same bytes with the same webhook-id.
        </Text>
        <RoleGate minimum="developer">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={15} aria-hidden />}
            loading={retry.isPending && retry.variables.length === names.length && names.length > 1}
            onClick={() => retry.mutate(names)}
          >
            Retry all
          </Button>
        </RoleGate>
      </div>
      {events.data.map((event) => (
        <Event
          key={event.id}
          event={event}
          isRetrying={retry.isPending && retry.variables.includes(event.event)}
          onRetry={() => retry.mutate([event.event])}
        />
      ))}
    </Stack>
  );
}

const TONES = { delivered: 'good', pending: 'live', failed: 'bad' } as const;
const STATUS_WORDS = { delivered: 'Delivered', pending: 'Waiting', failed: 'Failed' } as const;

type EventProps = { event: CallWebhook; isRetrying: boolean; onRetry: () => void };

function Event({ event, isRetrying, onRetry }: EventProps) {
  const { status, attempts, attempt_count, next_attempt_at, reason } = event;
  const left = attempt_count - attempts.length;
  return (
    <section className={styles.event} aria-label={event.event}>
      <header className={styles.head}>
        <div className={styles.title}>
          <span className={styles.name}>{event.event}</span>{' '}
          <Text size="xs" c="dimmed" component="div">
            {EVENT_WORDS[event.event]} · <Time at={event.created_at} />
          </Text>
        </div>
        <StatusPill tone={TONES[status]}>{STATUS_WORDS[status]}</StatusPill>
        <RoleGate minimum="developer">
          <Button
            size="compact-sm"
            variant="default"
            loading={isRetrying}
            aria-label={`Retry ${event.event}`}
            onClick={onRetry}
          >
            Retry
          </Button>
        </RoleGate>
      </header>
      {attempts.length === 0 || next_attempt_at !== null ? (
        <Text size="sm" c="dimmed" className={styles.next}>
          {attempts.length === 0 && reason !== null ? `${deliveryWords(reason, 0)}. ` : ''}
          {next_attempt_at === null ? (
            attempts.length === 0 && reason === null && 'Not attempted yet.'
          ) : (
            <>
              Next attempt: <Time at={next_attempt_at} />
            </>
          )}
        </Text>
      ) : null}
      {left > 0 ? (
        <Text size="xs" c="dimmed" className={styles.next}>
          {plural(left, 'earlier attempt')} not shown
        </Text>
      ) : null}
      {attempts.length > 0 ? (
        <ol className={styles.attempts} aria-label={`Attempts of ${event.event}`}>
          {attempts.map((attempt) => (
            <AttemptDetails
              key={`${attempt.series} ${attempt.attempt}`}
              attempt={attempt}
              time={<Time at={attempt.started_at} />}
            />
          ))}
        </ol>
      ) : null}
    </section>
  );
}
