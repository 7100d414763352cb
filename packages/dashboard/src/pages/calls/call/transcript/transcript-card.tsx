import { Loader, SegmentedControl, Text } from '@mantine/core';
import { IconMessages } from '@tabler/icons-react';
import { useCallback, useMemo, useState } from 'react';
import { EmptyState } from '../../../../components/empty-state.tsx';
import { HUMAN } from '../../parties.ts';
import { type Call, isLive, type Settling } from '../call-queries.ts';
import { type Moment, momentAt, readEnhanced } from '../conversation.ts';
import { RecordingPlayer } from '../recording/recording-player.tsx';
import { usePlayback } from '../recording/use-playback.ts';
import { usePlayerKeys } from '../recording/use-player-keys.ts';
import type { Recording } from '../recording/use-recording.ts';
import { EnhanceTranscript } from './enhance-transcript.tsx';
import { Transcript } from './transcript.tsx';
import styles from './transcript-card.module.css';
import { MomentRow, type Speakers, SpokenLine, TranscriptRow } from './transcript-rows.tsx';

type Props = {
  call: Call;
  moments: readonly Moment[] | undefined;
  recording: Recording | undefined;
  settling: Settling;
};

/** The recording, and the transcript that follows it. */
export function TranscriptCard({ call, moments, recording, settling }: Props) {
  const [version, setVersion] = useState<'enhanced' | 'heard'>('enhanced');
  const speakers: Speakers = useMemo(
    () => ({ user: HUMAN[call.call_type], agent: call.agent_name ?? 'Assistant' }),
    [call.call_type, call.agent_name],
  );
  const hasEnhanced = call.enhanced_transcript !== null;
  return (
    <section className={`card ${styles.card}`} aria-label="Conversation">
      {recording ? (
        <div className={styles.player}>
          <RecordingPlayer
            playback={recording.playback}
            seconds={recording.seconds}
            downloadUrl={recording.url}
            peaks={recording.peaks}
            failure={recording.failure}
            channels={[speakers.user, 'Assistant']}
          />
        </div>
      ) : (
        <NoRecording call={call} settling={settling} />
      )}
      <header className={styles.head}>
        <Text fw={600} size="sm">
          Transcript
        </Text>
        {hasEnhanced ? (
          <SegmentedControl
            size="xs"
            aria-label="Version of the transcript"
            value={version}
            onChange={(value) => setVersion(value === 'heard' ? 'heard' : 'enhanced')}
            data={[
              { value: 'enhanced', label: 'Enhanced' },
              { value: 'heard', label: 'As heard' },
            ]}
          />
        ) : null}
        <span className={styles.end}>
          <EnhanceTranscript call={call} onEnhanced={() => setVersion('enhanced')} />
        </span>
      </header>
      {hasEnhanced && version === 'enhanced' ? (
        <EnhancedRows call={call} speakers={speakers} recording={recording} />
      ) : (
        <HeardRows call={call} moments={moments} speakers={speakers} recording={recording} />
      )}
    </section>
  );
}

const NO_MOMENTS: readonly Moment[] = [];
const HEIGHT = 'max(22rem, calc(100dvh - 22rem))';

type RowsProps = { call: Call; speakers: Speakers; recording: Recording | undefined };

function HeardRows({
  call,
  moments,
  speakers,
  recording,
}: RowsProps & { moments: readonly Moment[] | undefined }) {
  const rows = moments ?? NO_MOMENTS;
  const { current, onJump } = useFollowing(rows, recording);
  if (!moments) return <Loader size="sm" m="lg" aria-label="The transcript is loading" />;
  if (rows.length === 0) return <NothingSaid call={call} />;
  return (
    <Transcript current={current} rows={rows.length} isLive={isLive(call)} maxHeight={HEIGHT}>
      {rows.map((moment, i) => (
        <MomentRow
          key={moment.key}
          index={i}
          moment={moment}
          isCurrent={i === current}
          speakers={speakers}
          onJump={onJump}
        />
      ))}
    </Transcript>
  );
}

function EnhancedRows({ call, speakers, recording }: RowsProps) {
  const text = call.enhanced_transcript ?? '';
  const lines = useMemo(() => readEnhanced(text, call.answered_at), [text, call.answered_at]);
  const { current, onJump } = useFollowing(lines ?? [], recording);
  if (!lines) return <pre className={styles.plain}>{text}</pre>;
  return (
    <Transcript current={current} rows={lines.length} isLive={false} maxHeight={HEIGHT}>
      {lines.map(({ speaker, content, atMs }, i) => (
        <TranscriptRow key={i} index={i} atMs={atMs} isCurrent={i === current} onJump={onJump}>
          <SpokenLine role={speaker} text={content} speakers={speakers} />
        </TranscriptRow>
      ))}
    </Transcript>
  );
}

/** The row that is heard, and jumps to rows, by click and by key. */
function useFollowing(rows: readonly { atMs: number }[], recording: Recording | undefined) {
  const playback = recording?.playback;
  const current = usePlayback(playback, (player) => momentAt(rows, player.positionMs()), -1);
  const onJump = useMemo(
    () =>
      playback &&
      ((atMs: number) => {
        playback.seek(atMs);
        if (!playback.isPlaying()) playback.toggle();
      }),
    [playback],
  );
  const jump = useCallback(
    (turns: 1 | -1) => {
      if (!playback) return;
      const next = rows[Math.max(0, momentAt(rows, playback.positionMs() + 1) + turns)];
      if (next) playback.seek(next.atMs);
    },
    [rows, playback],
  );
  usePlayerKeys(playback, jump);
  return { current, onJump };
}

function NoRecording({ call, settling }: { call: Call; settling: Settling }) {
  if (call.answered_at === null && !isLive(call)) return null;
  return (
    <Text size="sm" c="dimmed" className={styles.note}>
      {noRecordingWords(call, settling)}
    </Text>
  );
}

function noRecordingWords(call: Call, settling: Settling): string {
  if (isLive(call)) return 'The recording will be here when the call is over.';
  return settling === 'soon' ? 'The recording is being stored.' : 'There is no recording of this call.';
}

function NothingSaid({ call }: { call: Call }) {
  const title = isLive(call) ? 'Nothing has been said yet' : 'There was no conversation';
  return (
    <EmptyState title={title} icon={<IconMessages size={22} aria-hidden />}>
      {isLive(call)
        ? 'Words, tools and keys appear here as they happen.'
        : 'The timeline tells what happened instead.'}
    </EmptyState>
  );
}
