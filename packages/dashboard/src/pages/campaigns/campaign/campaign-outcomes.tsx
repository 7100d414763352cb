import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatCount, formatShare } from '../../../app/format-number.ts';
import { duration as formatDuration } from '../../../app/format-time.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Money } from '../../../components/money.tsx';
import { Section } from '../../../components/section.tsx';
import { endingOf } from '../../calls/how-it-ended.ts';
import { LinkButton, TextLink } from '../../calls/links.tsx';
import styles from './campaign-outcomes.module.css';
import { type Campaign, outcomesQuery } from './campaign-queries.ts';

/** How its calls ended, as bars that lead to those calls. */
export function CampaignOutcomes({ campaign }: { campaign: Campaign }) {
  const outcomes = useQuery(outcomesQuery(campaign));
  const id = campaign.campaign_id;
  const totals = outcomes.data?.totals;
  const actions = (
    <LinkButton to="/calls" search={{ campaign: [id] }} variant="default" size="xs">
      All calls
    </LinkButton>
  );
  return (
    <Section title="How calls ended" actions={actions}>
      {outcomes.isError && !totals ? (
        <ErrorNote error={outcomes.error} onRetry={() => void outcomes.refetch()} />
      ) : null}
      {outcomes.isPending && campaign.started_at !== null ? (
        <Skeleton height={100} aria-label="Outcomes are loading" />
      ) : null}
      {campaign.started_at === null || totals?.calls === 0 ? (
        <Text size="sm" c="dimmed">
          No call has ended yet.
        </Text>
      ) : null}
      {totals && totals.calls > 0 ? (
        <>
          <ul className={styles.bars}>
            {rowsOf(totals.outcomes).map(([reason, count]) => {
              const { label, tone } = endingOf(reason);
              return (
                <li key={reason}>
                  <TextLink
                    to="/calls"
                    search={{ campaign: [id], reason: [reason] }}
                    className={styles.name}
                    size="sm"
                    c="inherit"
                  >
                    {label}
                  </TextLink>
                  <span className={styles.track} aria-hidden>
                    <span data-tone={tone} style={{ width: `${(count / totals.calls) * 100}%` }} />
                  </span>
                  <span className={styles.count}>
                    {formatCount(count)} <small>{formatShare(count / totals.calls)}</small>
                  </span>
                </li>
              );
            })}
          </ul>
          <dl className={styles.figures}>
            <Figure name="Calls">{formatCount(totals.calls)}</Figure>
            <Figure name="Answered">{formatShare(totals.answer_rate)}</Figure>
            <Figure name="Average talk">
              {totals.average_duration_seconds === null
                ? '–'
                : formatDuration(totals.average_duration_seconds)}
            </Figure>
            <Figure name="Cost">
              <Money cents={totals.cost} />
            </Figure>
          </dl>
        </>
      ) : null}
    </Section>
  );
}

function rowsOf(outcomes: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(outcomes)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a);
}

function Figure({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
