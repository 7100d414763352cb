import type { ReactNode } from 'react';
import { duration as formatDuration } from '../../../app/format-time.ts';
import { Money } from '../../../components/money.tsx';
import { Phone } from '../../../components/phone.tsx';
import { Time } from '../../../components/time.tsx';
import { ourNumber, theirNumber } from '../parties.ts';
import styles from './call-facts.module.css';
import type { Call } from './call-queries.ts';
import type { LatencySummary } from './latencies.ts';

type Props = {
  call: Call;
  latency: LatencySummary | undefined;
  /** The assistant and the campaign, as links. */
  assistant: ReactNode;
  campaign: ReactNode;
  elapsed: ReactNode;
};

/** Who, how long, how much, when. */
export function CallFacts({ call, latency, assistant, campaign, elapsed }: Props) {
  const [theirs, ours] = [theirNumber(call), ourNumber(call)];
  const facts: [string, ReactNode][] = [
    [
      'Duration',
      call.duration === null ? elapsed : <span className="numeric">{formatDuration(call.duration)}</span>,
    ],
    ['Cost', <Money key="cost" cents={call.cost} />],
    ['Started', <Time key="started" at={call.started_at ?? call.created_at} />],
    ...(theirs === null
      ? []
      : [['Their number', <Phone key="theirs" number={theirs} />] as [string, ReactNode]]),
    ...(ours === null ? [] : [['Our number', <Phone key="ours" number={ours} />] as [string, ReactNode]]),
    ['Assistant', assistant],
    ...(campaign === null ? [] : [['Campaign', campaign] as [string, ReactNode]]),
    ...(latency ? [['Answers after', `${Math.round(latency.median)} ms`] as [string, ReactNode]] : []),
  ];
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name} className={styles.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
