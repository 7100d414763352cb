import { Button, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import type { listLiveCalls, QueryInputOf, ResponseOf } from '@parley/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../../app/client.ts';
import { formatCount } from '../../../app/format-number.ts';
import { duration as formatDuration } from '../../../app/format-time.ts';
import { CallOutcome } from '../outcome.tsx';
import { CallContact } from './call-columns.tsx';
import { type CallSearch, hasText, isFiltered } from './call-search.ts';
import styles from './live-calls.module.css';

type LiveCall = ResponseOf<typeof listLiveCalls>;
type LiveFilters = Pick<QueryInputOf<typeof listLiveCalls>, 'call_type' | 'agent_id' | 'campaign_id'>;

/** In the row that is always there; all that were read are shown on request. */
const SHOWN = 12;
const READ = 100;

/** The calls that go on now. The place above the list is theirs while there are none, too: no row moves when one begins or ends. */
export function LiveCalls({ search }: { search: CallSearch }) {
  const [isOpen, setOpen] = useState(false);
  const filters = liveFilters(search);
  const live = useQuery({
    queryKey: ['live-calls', filters],
    queryFn: async ({ signal }) => ({
      ...(await api.calls.live({ ...filters, limit: READ }, { signal })),
      readAt: performance.now(),
    }),
    refetchInterval: 10_000,
    placeholderData: keepPreviousData,
  });
  const concurrency = useQuery({
    queryKey: ['concurrency'],
    queryFn: ({ signal }) => api.calls.concurrency({ signal }),
  });
  // A live call has neither an outcome nor a duration nor a cost.
  if (isAboutEnds(search)) return null;
  const { items, total, readAt } = live.data ?? { items: [], total: 0, readAt: 0 };
  const matching = items.filter((call) => matches(call, search));
  const isExact = matching.length === items.length;
  const count = isExact ? total : matching.length;
  const limit = concurrency.data?.limit;
  return (
    <section
      className={`card ${styles.panel}`}
      aria-label="Live calls"
      data-open={(isOpen && count > SHOWN) || undefined}
    >
      <header className={styles.head}>
        <span className={styles.title}>
          <span className={styles.dot} data-live={count > 0 || undefined} aria-hidden />
          {live.data ? `${formatCount(count)} live now` : 'Live calls'}
        </span>
        <Text size="xs" c="dimmed" className="truncate">
          {limit === undefined ? '' : `of ${formatCount(limit)} at a time`}
          {isExact || total <= items.length ? '' : `, among the newest ${formatCount(READ)}`}
        </Text>
        {count > SHOWN ? (
          <Button size="compact-xs" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Show fewer' : count > READ ? `Show the newest ${READ}` : `Show all ${count}`}
          </Button>
        ) : null}
      </header>
      <div className={styles.row}>
        {live.isError && !live.data ? (
          <Text size="sm" c="var(--bad)" role="alert">
            The live calls could not be read.{' '}
            <Button size="compact-xs" variant="default" onClick={() => void live.refetch()}>
              Try again
            </Button>
          </Text>
        ) : null}
        {live.data && count === 0 ? (
          <Text size="sm" c="dimmed">
            {isFiltered(search) ? 'No call that matches is going on.' : 'Calls appear here while they go on.'}
          </Text>
        ) : null}
        {matching.length > 0 ? (
          <ul className={styles.list}>
            {matching.slice(0, isOpen ? READ : SHOWN).map((call) => (
              <li key={call.id}>
                <Link to="/calls/$callId" params={{ callId: call.id }} className={styles.call}>
                  <CallContact call={call} />
                  <span className={styles.state}>
                    <CallOutcome call={call} />
                    <Elapsed seconds={call.duration} readAt={readAt} />
                  </span>
                  <span className={`${styles.agent} truncate`} title={call.agent_name ?? undefined}>
                    {call.agent_name}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        ) : null}
      </div>
    </section>
  );
}

/** What the route can filter by: one value of each. The rest is filtered among the newest calls. */
function liveFilters({ type, agent, campaign }: CallSearch) {
  const one = <T,>(values: readonly T[] | undefined) => (values?.length === 1 ? values[0] : undefined);
  const filters = { call_type: one(type), agent_id: one(agent), campaign_id: one(campaign) };
  return Object.fromEntries(
    Object.entries(filters).filter(([, value]) => value !== undefined),
  ) as LiveFilters;
}

/** Counts on from what the platform said, whose clock may differ from this one's. */
function Elapsed({ seconds, readAt }: { seconds: number | null; readAt: number }) {
  const [now, setNow] = useState(() => performance.now());
  useInterval(() => setNow(performance.now()), 1_000, { autoInvoke: true });
  if (seconds === null) return null;
  return <span className="numeric">{formatDuration(seconds + Math.max(0, now - readAt) / 1000)}</span>;
}

function matches(call: LiveCall, { type, agent, campaign, from, q }: CallSearch): boolean {
  const isOneOf = (values: readonly string[] | undefined, value: string | null) =>
    values === undefined || values.length === 0 || (value !== null && values.includes(value));
  return (
    isOneOf(type, call.call_type) &&
    isOneOf(agent, call.agent_id) &&
    isOneOf(campaign, call.campaign_id) &&
    isOneOf(from, call.from_number) &&
    hasText(call, q)
  );
}

function isAboutEnds(search: CallSearch): boolean {
  const { reason, min_seconds, max_seconds, min_cents, max_cents, before, period } = search;
  const isPast = before !== undefined || period === 'yesterday';
  return (
    isPast || [reason, min_seconds, max_seconds, min_cents, max_cents].some((value) => value !== undefined)
  );
}
