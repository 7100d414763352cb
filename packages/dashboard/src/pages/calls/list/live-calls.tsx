import { Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import type { listLiveCalls, ResponseOf } from '@parley/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../../app/client.ts';
import { formatCount } from '../../../app/format-number.ts';
import { duration as formatDuration } from '../../../app/format-time.ts';
import { CallOutcome } from '../outcome.tsx';
import { CallContact } from './call-columns.tsx';
import { type CallSearch, hasText } from './call-search.ts';
import styles from './live-calls.module.css';

type LiveCall = ResponseOf<typeof listLiveCalls>;

const SHOWN = 6;
const READ = 50;

/** The calls that go on now, above the list. */
export function LiveCalls({ search }: { search: CallSearch }) {
  const live = useQuery({
    queryKey: ['live-calls', 'list'],
    queryFn: async ({ signal }) => ({
      ...(await api.calls.live({ limit: READ }, { signal })),
      readAt: performance.now(),
    }),
    refetchInterval: 10_000,
  });
  const concurrency = useQuery({
    queryKey: ['concurrency'],
    queryFn: ({ signal }) => api.calls.concurrency({ signal }),
    enabled: (live.data?.total ?? 0) > 0,
  });
  const { items, total, readAt } = live.data ?? { items: [], total: 0, readAt: 0 };
  const matching = items.filter((call) => matches(call, search));
  // A live call has neither an outcome nor a duration nor a cost.
  if (matching.length === 0 || isAboutEnds(search)) return null;
  const count = matching.length === items.length ? total : matching.length;
  const limit = concurrency.data?.limit;
  return (
    <section className={`card ${styles.panel}`} aria-label="Live calls">
      <header className={styles.head}>
        <span className={styles.title}>
          <span className={styles.dot} aria-hidden /> {formatCount(count)} live now
        </span>
        {limit === undefined ? null : (
          <Text size="xs" c="dimmed">
            of {formatCount(limit)} at a time
          </Text>
        )}
      </header>
      <ul className={styles.list}>
        {matching.slice(0, SHOWN).map((call) => (
          <li key={call.id}>
            <Link to="/calls/$callId" params={{ callId: call.id }} className={styles.call}>
              <CallContact call={call} />
              <span className={styles.state}>
                <CallOutcome call={call} />
                <Elapsed seconds={call.duration} readAt={readAt} />
              </span>
              <span className={`${styles.agent} truncate`}>{call.agent_name}</span>
            </Link>
          </li>
        ))}
      </ul>
      {count > SHOWN ? (
        <Text size="xs" c="dimmed" className={styles.more}>
          and {formatCount(count - SHOWN)} more
        </Text>
      ) : null}
    </section>
  );
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
