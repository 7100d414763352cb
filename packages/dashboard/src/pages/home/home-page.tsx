import { Skeleton } from '@mantine/core';
import { useRef } from 'react';
import { ErrorNote } from '../../components/error-note.tsx';
import { Page } from '../../components/page.tsx';
import { AttentionList } from './attention-list.tsx';
import { CallsByDay } from './calls-by-day.tsx';
import { Figures } from './figures.tsx';
import { FirstSteps } from './first-steps.tsx';
import styles from './home.module.css';
import { LiveNow } from './live-now.tsx';
import { Outcomes } from './outcomes.tsx';
import { RunningCampaigns } from './running-campaigns.tsx';
import { useAttention, useConcurrency, useDays, useFirstSteps } from './use-home.ts';

export function HomePage() {
  const days = useDays();
  const concurrency = useConcurrency();
  const attention = useAttention();
  const isEmpty = useIsEmpty(days, concurrency);
  const steps = useFirstSteps(isEmpty);
  // What is above the figures depends on these: it would push them down later.
  const isReady = !days.isPending && !concurrency.isPending && !attention.isPending && !steps.isPending;
  const hasShown = useRef(false);
  hasShown.current ||= isReady;
  if (!hasShown.current)
    return (
      <Page title="Home">
        <Skeleton height={480} role="status" aria-label="The overview is loading" />
      </Page>
    );
  return (
    <Page
      title="Home"
      description={isEmpty ? 'From nothing to a first conversation in a few minutes.' : undefined}
    >
      {isEmpty ? <FirstSteps progress={steps} /> : null}
      <AttentionList />
      {days.error ? <ErrorNote error={days.error} onRetry={() => void days.refetch()} /> : null}
      <Figures days={days.data} />
      <div className={styles.columns}>
        <div className={styles.main}>
          <CallsByDay days={days.data} />
          <RunningCampaigns />
        </div>
        <div className={styles.aside}>
          <LiveNow />
          <Outcomes days={days.data} />
        </div>
      </div>
    </Page>
  );
}

/** Whether there was no call when the page was opened: the first one moves nothing, its first steps stay until it is left [dashboard.76]. */
function useIsEmpty(
  days: ReturnType<typeof useDays>,
  concurrency: ReturnType<typeof useConcurrency>,
): boolean {
  const isEmpty = days.data?.totals.calls === 0 && concurrency.data?.live === 0;
  const wasEmpty = useRef(false);
  // What an earlier visit has read may be outdated.
  wasEmpty.current ||= isEmpty && !days.isFetching && !concurrency.isFetching;
  return isEmpty || wasEmpty.current;
}
