import { Skeleton, Text } from '@mantine/core';
import { formatCount, plural } from '../../app/format-number.ts';
import { useStore } from '../../app/store.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Section } from '../../components/section.tsx';
import { liveState } from '../../live/use-live-updates.ts';
import styles from './home.module.css';
import { useConcurrency } from './use-home.ts';

/** The calls of this moment, and how many there may be. */
export function LiveNow() {
  const { data, error, refetch } = useConcurrency();
  const state = useStore(liveState);
  return (
    <Section
      title="Live now"
      actions={
        <span className={styles.pulse} data-state={state}>
          {state === 'live' ? 'Live' : state === 'polling' ? 'Every 10 seconds' : 'Connecting'}
        </span>
      }
    >
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? <Skeleton height={60} /> : null}
      {data ? (
        <>
          <div className={styles.liveCount}>
            <span className={`numeric ${styles.value}`}>{formatCount(data.live)}</span>
            <Text c="dimmed" size="sm" span>
              of {plural(data.limit, 'concurrent call')}
            </Text>
          </div>
          <div className={styles.track} aria-hidden="true">
            <span style={{ width: `${Math.min(100, (data.live / Math.max(1, data.limit)) * 100)}%` }} />
          </div>
          <Text size="sm" c="dimmed" mt={8} className="numeric">
            {data.by_status['in-progress']} talking · {data.by_status.ringing} ringing ·{' '}
            {data.by_status.queued} waiting
          </Text>
        </>
      ) : null}
    </Section>
  );
}
