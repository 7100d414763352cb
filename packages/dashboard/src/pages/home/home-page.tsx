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
import { useConcurrency, useDays } from './use-home.ts';

export function HomePage() {
  const days = useDays();
  const concurrency = useConcurrency();
  const isEmpty = days.data?.totals.calls === 0 && concurrency.data?.live === 0;
  return (
    <Page
      title="Home"
      description={isEmpty ? 'From nothing to a first conversation in a few minutes.' : undefined}
    >
      {isEmpty ? <FirstSteps /> : null}
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
