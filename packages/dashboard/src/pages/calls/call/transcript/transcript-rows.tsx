import { Group, Text } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { Tooltip } from '../../../../components/tooltip.tsx';
import { StatusPill } from '../../status-pill.tsx';
import type { Moment } from '../conversation.ts';
import { positionText } from '../recording/playback.ts';
import { ToolCard } from './tool-card.tsx';
import styles from './transcript.module.css';

export type Speakers = { user: string; agent: string };

type RowProps = {
  index: number;
  atMs: number;
  isCurrent: boolean;
  /** Absent: there is no recording to jump in. */
  onJump?: ((atMs: number) => void) | undefined;
  children: ReactNode;
};

export function TranscriptRow({ index, atMs, isCurrent, onJump, children }: RowProps) {
  const time = positionText(atMs);
  return (
    <li
      className={styles.row}
      data-row={index}
      data-current={isCurrent || undefined}
      aria-current={isCurrent || undefined}
    >
      {onJump ? (
        <button
          type="button"
          className={styles.jump}
          aria-label={`Play from ${time}`}
          onClick={() => onJump(atMs)}
        >
          {time}
        </button>
      ) : (
        <span className={styles.jump}>{time}</span>
      )}
      {/* The button beside it does the same for keyboards. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a larger target for the pointer */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: see above */}
      <div onClick={onJump && (() => document.getSelection()?.isCollapsed && onJump(atMs))}>{children}</div>
    </li>
  );
}

export function SpokenLine({
  role,
  text,
  speakers,
}: {
  role: 'user' | 'agent';
  text: string;
  speakers: Speakers;
}) {
  return (
    <>
      <div className={styles.speaker} data-agent={role === 'agent' || undefined}>
        {speakers[role]}
      </div>
      <div className={styles.text} dir="auto">
        {text}
      </div>
    </>
  );
}

type MomentProps = {
  moment: Moment;
  index: number;
  isCurrent: boolean;
  speakers: Speakers;
  onJump?: ((atMs: number) => void) | undefined;
};

export const MomentRow = memo(function MomentRow({
  moment,
  index,
  isCurrent,
  speakers,
  onJump,
}: MomentProps) {
  const row = { index, atMs: moment.atMs, isCurrent, onJump };
  switch (moment.kind) {
    case 'said': {
      const { role, content, latency, interrupted } = moment.entry;
      return (
        <TranscriptRow {...row}>
          <SpokenLine role={role} text={content} speakers={speakers} />
          {(latency || interrupted) && (
            <Group gap="xs" mt={4}>
              {latency && <LatencyNote ms={latency.first_audio_ms} />}
              {interrupted && <StatusPill tone="warn">interrupted</StatusPill>}
            </Group>
          )}
        </TranscriptRow>
      );
    }
    case 'tool':
      return (
        // Opening the card is not a jump.
        <TranscriptRow {...row} onJump={onJump}>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: keeps clicks from the row */}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: see above */}
          <div onClick={(event) => event.stopPropagation()}>
            <ToolCard tool={moment.entry} />
          </div>
        </TranscriptRow>
      );
    case 'event':
      return (
        <TranscriptRow {...row}>
          <div className={styles.event}>{moment.entry.message}</div>
        </TranscriptRow>
      );
  }
});

function LatencyNote({ ms }: { ms: number }) {
  return (
    <Tooltip label="From the end of the person's speech to the first sound of this answer">
      <Text size="xs" c="dimmed" component="span">
        answered after {Math.round(ms)} ms
      </Text>
    </Tooltip>
  );
}
