import { Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from '../../../components/copy-button.tsx';
import { JsonView } from '../../../components/json/json-view.tsx';
import { Time } from '../../../components/time.tsx';
import styles from './call-overview.module.css';
import { type Call, isLive, type Settling } from './call-queries.ts';

type Props = { call: Call; settling: Settling; howItEnded: string | undefined };

/** Summary, analysis, variables and ids of a call. */
export function CallOverview({ call, settling, howItEnded }: Props) {
  return (
    <Stack gap="lg">
      {howItEnded ? (
        <Part title="How it ended">
          <Text size="sm">{howItEnded}</Text>
        </Part>
      ) : null}
      <Part title="Summary">
        <Summary call={call} settling={settling} />
      </Part>
      <Part title="Analysis">
        <Analysis call={call} settling={settling} />
      </Part>
      <Part title="Variables">
        {call.unresolved_placeholders.length > 0 ? (
          <Text size="sm" mb="sm" className={styles.warning}>
            Without a value, so replaced by empty text:{' '}
            {call.unresolved_placeholders.map((name) => `{{${name}}}`).join(', ')}
          </Text>
        ) : null}
        <Values values={call.dynamic_variables} none="None were given." />
      </Part>
      {Object.keys(call.metadata).length > 0 ? (
        <Part title="Metadata">
          <JsonView value={call.metadata} label="Metadata" maxHeight={240} />
        </Part>
      ) : null}
      <Part title="Ids">
        <dl className={styles.values}>
          <Id name="Call" value={call.id} />
          <Id name="Carrier" value={call.call_sid} />
          <Id name="Recording" value={call.recording_sid} />
          <div>
            <dt>Updated</dt>
            <dd>
              <Time at={call.updated_at} />
            </dd>
          </div>
        </dl>
      </Part>
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className={styles.title}>{title}</h2>
      {children}
    </section>
  );
}

function Summary({ call, settling }: Omit<Props, 'howItEnded'>) {
  if (call.summary !== null)
    return (
      <Text size="sm" className={styles.summary} dir="auto">
        {call.summary}
      </Text>
    );
  return <NotYet call={call} settling={settling} what="summary" />;
}

function Analysis({ call, settling }: Omit<Props, 'howItEnded'>) {
  if (call.analysis_data !== null)
    return <Values values={call.analysis_data} none="Nothing could be extracted." />;
  return <NotYet call={call} settling={settling} what="analysis" />;
}

function NotYet({ call, settling, what }: Omit<Props, 'howItEnded'> & { what: string }) {
  if (settling === 'soon') {
    return (
      <div role="status" aria-label={`The ${what} is being made`}>
        <Skeleton height={12} radius="xl" mb={8} />
        <Skeleton height={12} radius="xl" width="70%" />
      </div>
    );
  }
  if (settling === 'late')
    return (
      <Text size="sm" c="dimmed">
        The {what} could not be made yet. It is being tried again.
      </Text>
    );
  return (
    <Text size="sm" c="dimmed">
      {isLive(call) ? `The ${what} is made when the call is over.` : `This call has no ${what}.`}
    </Text>
  );
}

function Values({ values, none }: { values: Readonly<Record<string, unknown>>; none: string }) {
  const entries = Object.entries(values);
  if (entries.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    );
  return (
    <dl className={styles.values}>
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{valueWords(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function valueWords(value: unknown): ReactNode {
  if (value === null || value === undefined || value === '') return <span className={styles.none}>–</span>;
  if (value === true) return 'Yes';
  if (value === false) return 'No';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function Id({ name, value }: { name: string; value: string | null }) {
  if (value === null) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd className={styles.id}>
        <span>{value}</span> <CopyButton value={value} what={`${name.toLowerCase()} id`} />
      </dd>
    </div>
  );
}
