import { Text } from '@mantine/core';
import type { TimelineEntry } from '@parley/contracts';
import {
  IconCircleCheck,
  IconDialpad,
  IconFileText,
  IconMicrophone,
  IconPhone,
  IconPhoneCall,
  IconPhoneOff,
  IconPhoneOutgoing,
  IconRobot,
  IconTool,
  IconWebhook,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { clockTime, exactTime } from '../../../app/format-time.ts';
import { useZone } from '../../../app/zone.ts';
import styles from './call-timeline.module.css';
import { type Latency, STAGES, stagesOf, summarize } from './latencies.ts';

type Props = { timeline: readonly TimelineEntry[] };

/** Everything that happened to the call, in order, and how long each answer took. */
export function CallTimeline({ timeline }: Props) {
  const longest = Math.max(1, ...timeline.map((entry) => latencyOf(entry)?.first_audio_ms ?? 0));
  return (
    <div>
      <LatencySummaryLine timeline={timeline} />
      <ol className={styles.list}>
        {timeline.map((entry, i) => {
          const latency = latencyOf(entry);
          const Icon = ICONS[entry.type] ?? IconCircleCheck;
          return (
            <li key={i} className={styles.entry} data-by={entry.type === 'turn' ? entry.role : undefined}>
              <span className={styles.icon}>
                <Icon size={14} aria-hidden />
              </span>
              <div className={styles.words}>
                <Text size="sm" className={styles.message} dir="auto">
                  {entry.message}
                </Text>
                {latency && <LatencyBar latency={latency} longest={longest} />}
              </div>
              <span className={styles.time}>
                <ClockTime at={entry.at} />
                <span className={styles.delta}>{delta(timeline[i - 1], entry)}</span>
              </span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** To the millisecond: the day is that of the call. */
function ClockTime({ at }: { at: string }) {
  const zone = useZone();
  const date = new Date(at);
  return (
    <time dateTime={at} title={`${exactTime(date, zone)} · ${at}`}>
      {clockTime(date, zone)}
    </time>
  );
}

const latencyOf = (entry: TimelineEntry): Latency | undefined =>
  entry.type === 'turn' ? (entry.latency ?? undefined) : undefined;

/** The gap to the entry before. */
function delta(previous: TimelineEntry | undefined, { at }: TimelineEntry): string {
  if (!previous) return '';
  const ms = Date.parse(at) - Date.parse(previous.at);
  if (ms < 1) return '';
  return ms < 1000 ? `+${ms} ms` : `+${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

function LatencySummaryLine({ timeline }: { timeline: readonly TimelineEntry[] }) {
  const summary = summarize(timeline);
  if (!summary) return null;
  const figures = [
    ['Median', summary.median],
    ['95th percentile', summary.p95],
    ['Slowest', summary.slowest],
  ] as const;
  return (
    <section aria-label="Latency of the answers" className={styles.summary}>
      <dl className={styles.figures}>
        {figures.map(([name, ms]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{Math.round(ms)} ms</dd>
          </div>
        ))}
      </dl>
      <ul className={styles.legend}>
        {STAGES.map(({ name, description }, i) => (
          <li key={name}>
            <span className={styles.swatch} data-stage={i} aria-hidden />
            {name} <span className={styles.legendWords}>{description}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function LatencyBar({ latency, longest }: { latency: Latency; longest: number }) {
  const stages = stagesOf(latency);
  const words = STAGES.map(({ name }, i) => `${name}: ${Math.round(stages[i] ?? 0)} ms`).join(', ');
  return (
    <div className={styles.bar}>
      <div className={styles.track} role="img" aria-label={words} title={words}>
        {stages.map((ms, i) => (
          <span key={i} data-stage={i} style={{ width: `${(ms / longest) * 100}%` }} />
        ))}
      </div>
      <span className={styles.barTotal}>{Math.round(latency.first_audio_ms)} ms</span>
    </div>
  );
}

const ICONS: Readonly<Record<string, ComponentType<{ size: number }>>> = {
  queued: IconPhone,
  dialing: IconPhoneOutgoing,
  ringing: IconPhoneCall,
  answered: IconPhoneCall,
  turn: IconMicrophone,
  tool: IconTool,
  transfer: IconPhoneOutgoing,
  machine_detected: IconRobot,
  inbound_webhook: IconWebhook,
  ended: IconPhoneOff,
  recording: IconMicrophone,
  recording_stored: IconMicrophone,
  analyzed: IconFileText,
  dtmf: IconDialpad,
};
