import { Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '../../../app/client.ts';
import { isNotFound } from '../../../app/describe-error.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { OutdatedNote } from '../../../components/outdated-note.tsx';
import { Page } from '../../../components/page.tsx';
import { Phone } from '../../../components/phone.tsx';
import { Time } from '../../../components/time.tsx';
import { useGoneDrafts } from '../../../drafts/use-gone-drafts.ts';
import { TextLink } from '../../calls/links.tsx';
import { CampaignBadge } from '../campaign-status.tsx';
import { hoursInWords } from '../hours.ts';
import { CampaignActions } from './campaign-actions.tsx';
import { CampaignContacts } from './campaign-contacts.tsx';
import { CampaignExplanation } from './campaign-explanation.tsx';
import { CampaignOutcomes } from './campaign-outcomes.tsx';
import styles from './campaign-page.module.css';
import { CampaignProgress } from './campaign-progress.tsx';
import { type Campaign, campaignQuery, explanationQuery, isOver, listDraftName } from './campaign-queries.ts';

const route = getRouteApi('/shell/campaigns/$campaignId');
const TRAIL = (
  <TextLink to="/campaigns" size="sm" c="dimmed">
    Campaigns
  </TextLink>
);

export function CampaignPage() {
  const { campaignId } = route.useParams();
  const campaign = useQuery(campaignQuery(campaignId));
  const isGone = campaign.data ? isOver(campaign.data.status) : isNotFound(campaign.error);
  useGoneDrafts(listDraftName(campaignId), isGone);
  if (campaign.data)
    return <LoadedCampaign campaign={campaign.data} note={<OutdatedNote query={campaign} />} />;
  return (
    <Page title="Campaign" trail={TRAIL}>
      {campaign.isError ? (
        <ErrorNote
          error={campaign.error}
          title="The campaign could not be loaded"
          onRetry={() => void campaign.refetch()}
        />
      ) : (
        <Skeleton height={320} aria-label="The campaign is loading" />
      )}
    </Page>
  );
}

function LoadedCampaign({ campaign, note }: { campaign: Campaign; note: ReactNode }) {
  const { campaign_id: id, campaign_name, agent_id: agentId, status } = campaign;
  const explanation = useQuery(explanationQuery(id));
  const assistant = useQuery({
    queryKey: ['assistant', agentId],
    queryFn: ({ signal }) => api.assistants.get(agentId, { signal }),
  });
  return (
    <Page
      title={campaign_name}
      badge={<CampaignBadge status={status} />}
      trail={TRAIL}
      description={<Description campaign={campaign} agentName={assistant.data?.agent_name} />}
      actions={<CampaignActions campaign={campaign} />}
    >
      {note}
      <CampaignProgress campaign={campaign} explanation={explanation.data} />
      <div className={styles.columns}>
        <CampaignExplanation
          explanation={explanation.data}
          error={explanation.error}
          onRetry={() => void explanation.refetch()}
        />
        <CampaignOutcomes campaign={campaign} />
      </div>
      <Title order={2} size="sm" mb="sm">
        Contacts
      </Title>
      <CampaignContacts
        campaignId={id}
        state={explanation.data && JSON.stringify(explanation.data.contacts)}
        total={campaign.total_contacts}
      />
    </Page>
  );
}

type DescriptionProps = { campaign: Campaign; agentName: string | undefined };

function Description({ campaign, agentName }: DescriptionProps) {
  const { phone_number, scheduled_at, status, started_at, completed_at, business_hours } = campaign;
  return (
    <Text size="sm" component="span" className={styles.description}>
      {agentName ? <span>{agentName}</span> : null}
      <span>
        from <Phone number={phone_number} none="a deleted number" />
      </span>
      <span>{hoursInWords(business_hours)}</span>
      {status === 'scheduled' && scheduled_at ? (
        <span>
          starts <Time at={scheduled_at} />
        </span>
      ) : null}
      {started_at ? (
        <span>
          started <Time at={started_at} />
        </span>
      ) : null}
      {completed_at ? (
        <span>
          ended <Time at={completed_at} />
        </span>
      ) : null}
    </Text>
  );
}
