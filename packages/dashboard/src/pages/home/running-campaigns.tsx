import { Anchor, Badge, Skeleton, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { formatCount, formatShare } from '../../app/format-number.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Section } from '../../components/section.tsx';
import styles from './home.module.css';
import { useRunningCampaigns } from './use-home.ts';

export function RunningCampaigns() {
  const { data, error, refetch } = useRunningCampaigns();
  return (
    <Section
      title="Running campaigns"
      actions={
        <Anchor component={Link} to="/campaigns" size="sm">
          All campaigns
        </Anchor>
      }
    >
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? <Skeleton height={48} /> : null}
      {data?.length === 0 ? (
        <Text size="sm" c="dimmed">
          No campaign is running. A campaign calls a list of contacts with an assistant, at the hours that you
          choose.
        </Text>
      ) : null}
      <ul className={styles.campaigns}>
        {data?.map((campaign) => {
          const { completed_calls: done, total_contacts: total, successful_calls: reached } = campaign;
          return (
            <li key={campaign.campaign_id}>
              <div>
                <Anchor
                  fw={500}
                  size="sm"
                  renderRoot={(props) => (
                    <Link
                      to="/campaigns/$campaignId"
                      params={{ campaignId: campaign.campaign_id }}
                      {...props}
                    />
                  )}
                >
                  {campaign.campaign_name}
                </Anchor>
                {campaign.status === 'dormant' ? (
                  <Badge size="sm" variant="light" color="gray" ml={8}>
                    Outside its hours
                  </Badge>
                ) : null}
              </div>
              <Text size="sm" c="dimmed" className="numeric">
                {formatCount(done)} of {formatCount(total)} ·{' '}
                {formatShare(done === 0 ? null : reached / done)} reached
              </Text>
              <span className={styles.track} aria-hidden="true">
                <span style={{ width: `${(done / Math.max(1, total)) * 100}%` }} />
              </span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
