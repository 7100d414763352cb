import { Skeleton, Tabs } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { formatPhone } from '../../../app/format-phone.ts';
import { duration as formatDuration } from '../../../app/format-time.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { lazyComponent } from '../../../components/lazy-component.tsx';
import { OutdatedNote } from '../../../components/outdated-note.tsx';
import { Page } from '../../../components/page.tsx';
import { CallTypeIcon } from '../call-type-icon.tsx';
import { TextLink } from '../links.tsx';
import { CallOutcome } from '../outcome.tsx';
import { theirNumber } from '../parties.ts';
import { CallFacts } from './call-facts.tsx';
import { CallOverview } from './call-overview.tsx';
import styles from './call-page.module.css';
import {
  type Call,
  callQuery,
  isLive,
  SETTLES_WITHIN_MS,
  settlingOf,
  timelineQuery,
} from './call-queries.ts';
import type { CallTab } from './call-tabs.ts';
import { CallTimeline } from './call-timeline.tsx';
import { conversationOf } from './conversation.ts';
import { summarize } from './latencies.ts';
import { useRecording } from './recording/use-recording.ts';
import { StopCall } from './stop-call.tsx';
import { TranscriptCard } from './transcript/transcript-card.tsx';

const CallWebhooks = lazyComponent(() => import('./webhooks/call-webhooks.tsx'), 'CallWebhooks');
const CallJson = lazyComponent(() => import('./call-json.tsx'), 'CallJson');

const route = getRouteApi('/shell/calls/$callId');
const TRAIL = (
  <TextLink to="/calls" size="sm" c="dimmed">
    Calls
  </TextLink>
);

export function CallPage() {
  const { callId } = route.useParams();
  const call = useQuery(callQuery(callId));
  if (call.data)
    return (
      <LoadedCall
        key={callId}
        call={call.data}
        readAgain={call.refetch}
        note={<OutdatedNote query={call} />}
      />
    );
  return (
    <Page title="Call" trail={TRAIL}>
      {call.isError ? (
        <ErrorNote
          error={call.error}
          title="The call could not be loaded"
          onRetry={() => void call.refetch()}
        />
      ) : (
        <CallSkeleton />
      )}
    </Page>
  );
}

type LoadedProps = {
  call: Call;
  readAgain: () => Promise<{ isSuccess: boolean; data: Call | undefined }>;
  note: React.ReactNode;
};

function LoadedCall({ call, readAgain, note }: LoadedProps) {
  const isLate = useIsLate(isLive(call));
  const timeline = useQuery(timelineQuery(call, isLate));
  const moments = useMemo(
    () => timeline.data && conversationOf(timeline.data, call.answered_at),
    [timeline.data, call.answered_at],
  );
  const latency = useMemo(() => summarize(timeline.data ?? []), [timeline.data]);
  const stored = timeline.data?.find((entry) => entry.type === 'recording_stored');
  const recording = useRecording(call, stored?.seconds, readAgain);
  const settling = settlingOf(call, timeline.data, isLate);
  // What is made comes with the call.
  const readWhenMade = useEffectEvent(() => void readAgain());
  const wasSettling = useRef(false);
  useEffect(() => {
    if (settling === 'soon' || wasSettling.current) readWhenMade();
    wasSettling.current = settling === 'soon';
  }, [settling, timeline.dataUpdatedAt]);
  const ended = timeline.data?.find((entry) => entry.type === 'ended');
  const who = nameOf(call);
  const isNarrow = useMediaQuery('(max-width: 68em)', false, { getInitialValueInEffect: false });
  const transcript = (
    <TranscriptCard call={call} moments={moments} recording={recording} settling={settling} />
  );
  return (
    <Page
      title={who}
      badge={
        <span className={styles.badge}>
          <CallTypeIcon type={call.call_type} />
          <CallOutcome call={call} />
        </span>
      }
      trail={TRAIL}
      actions={isLive(call) ? <StopCall call={call} who={who} /> : null}
      wide
    >
      {note}
      <CallFacts
        call={call}
        latency={latency}
        assistant={<AssistantLink id={call.agent_id} name={call.agent_name} />}
        campaign={call.campaign_id === null ? null : <CampaignLink id={call.campaign_id} />}
        elapsed={<Elapsed answeredAt={call.answered_at} lastAt={timeline.data?.at(-1)?.at} />}
      />
      {timeline.isError && !timeline.data ? (
        <ErrorNote
          error={timeline.error}
          title="The conversation could not be loaded"
          onRetry={() => void timeline.refetch()}
        />
      ) : null}
      <div className={styles.columns}>
        {isNarrow ? null : transcript}
        <CallTabs transcript={isNarrow ? transcript : undefined}>
          {{
            overview: <CallOverview call={call} settling={settling} howItEnded={ended?.message} />,
            timeline: <CallTimeline timeline={timeline.data ?? []} />,
            webhooks: <CallWebhooks callId={call.id} />,
            json: <CallJson call={call} timeline={timeline.data} />,
          }}
        </CallTabs>
      </div>
    </Page>
  );
}

/** Whether the page has waited long enough for what is made when a call is over. */
function useIsLate(isLiveNow: boolean): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (isLiveNow) return;
    const timer = setTimeout(() => setLate(true), SETTLES_WITHIN_MS);
    return () => clearTimeout(timer);
  }, [isLiveNow]);
  return isLate;
}

type Tab = Exclude<CallTab, 'transcript'>;
const TAB_WORDS: Readonly<Record<Tab, string>> = {
  overview: 'Overview',
  timeline: 'Timeline',
  webhooks: 'Webhooks',
  json: 'JSON',
};

type TabsProps = {
  /** In narrow windows, where it has no column of its own. */
  transcript: React.ReactNode;
  children: Readonly<Record<Tab, React.ReactNode>>;
};

function CallTabs({ transcript, children }: TabsProps) {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const hasTranscript = transcript !== undefined;
  const first = hasTranscript ? 'transcript' : 'overview';
  const shown = tab === undefined || (tab === 'transcript' && !hasTranscript) ? first : tab;
  return (
    <Tabs
      value={shown}
      onChange={(value) =>
        void navigate({ search: { tab: value as Tab }, replace: true, resetScroll: false })
      }
      keepMounted={false}
      className={styles.tabs}
    >
      <Tabs.List className={styles.tabList}>
        {hasTranscript ? <Tabs.Tab value="transcript">Transcript</Tabs.Tab> : null}
        {Object.entries(TAB_WORDS).map(([value, label]) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {hasTranscript ? (
        // Its player goes on playing behind the other tabs.
        <Tabs.Panel value="transcript" keepMounted className={styles.panel}>
          {transcript}
        </Tabs.Panel>
      ) : null}
      {Object.entries(children).map(([value, content]) => (
        <Tabs.Panel key={value} value={value} className={styles.panel}>
          <Suspense fallback={<Skeleton height={160} />}>{content}</Suspense>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function nameOf(call: Call): string {
  const { contact_name } = call.dynamic_variables;
  if (typeof contact_name === 'string' && contact_name.trim() !== '') return contact_name;
  const number = theirNumber(call);
  return number === null ? 'Web visitor' : formatPhone(number);
}

function AssistantLink({ id, name }: { id: string; name: string | null }) {
  if (name === null) return <span>Deleted assistant</span>;
  return (
    <TextLink to="/assistants/$id" params={{ id }} size="sm">
      {name}
    </TextLink>
  );
}

function CampaignLink({ id }: { id: string }) {
  return (
    <TextLink to="/campaigns/$campaignId" params={{ campaignId: id }} size="sm">
      Open campaign
    </TextLink>
  );
}

/** Until the last thing that happened: by the clock of the platform, which may differ from this one's. */
function Elapsed({ answeredAt, lastAt }: { answeredAt: string | null; lastAt: string | undefined }) {
  if (answeredAt === null || lastAt === undefined) return <span>–</span>;
  return (
    <span className="numeric">{formatDuration((Date.parse(lastAt) - Date.parse(answeredAt)) / 1000)}</span>
  );
}

function CallSkeleton() {
  return (
    <div role="status" aria-label="The call is loading">
      <Skeleton height={40} mb="lg" width="60%" />
      <div className={styles.columns}>
        <Skeleton height={480} />
        <Skeleton height={480} />
      </div>
    </div>
  );
}
