import { ActionIcon, Button, Group, Loader, Text, UnstyledButton } from '@mantine/core';
import {
  IconDownload,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconRewindBackward5,
  IconRewindForward5,
} from '@tabler/icons-react';
import { Suspense } from 'react';
import { Actions } from '../../../../components/actions.tsx';
import { Tooltip } from '../../../../components/tooltip.tsx';
import { Waveform } from './lazy-waveform.ts';
import { type Playback, positionText, SPEEDS } from './playback.ts';
import { PositionSlider } from './position-slider.tsx';
import styles from './recording-player.module.css';
import { usePlayback } from './use-playback.ts';
import type { Recording } from './use-recording.ts';

const SKIP_MS = 5_000;

type Props = {
  playback: Playback;
  seconds: number;
  downloadUrl: string;
  peaks: Recording['peaks'];
  channels: readonly [string, string];
  failure: Recording['failure'];
};

/** The recording of a call: controls, and the waveform of both channels. */
export function RecordingPlayer({ playback, seconds, downloadUrl, peaks, channels, failure }: Props) {
  const isPlaying = usePlayback(playback, (player) => player.isPlaying(), false);
  const position = usePlayback(playback, (player) => positionText(player.positionMs()), '0:00');
  return (
    <section aria-label="Recording" className={styles.player}>
      <Group gap="xs" wrap="nowrap" className={styles.controls}>
        <Tooltip label={isPlaying ? 'Pause (K)' : 'Play (K)'}>
          <ActionIcon
            size="lg"
            radius="xl"
            aria-label={isPlaying ? 'Pause' : 'Play'}
            onClick={() => playback.toggle()}
          >
            {isPlaying ? <IconPlayerPauseFilled size={18} /> : <IconPlayerPlayFilled size={18} />}
          </ActionIcon>
        </Tooltip>
        <Skip playback={playback} byMs={-SKIP_MS} />
        <Skip playback={playback} byMs={SKIP_MS} />
        <Text size="sm" className={styles.time}>
          {position} <span className={styles.total}>/ {positionText(Math.round(seconds) * 1000)}</span>
        </Text>
        <SpeedMenu playback={playback} />
        <Tooltip label="Download as WAV">
          <ActionIcon
            component="a"
            href={downloadUrl}
            download
            variant="subtle"
            color="gray"
            aria-label="Download the recording"
          >
            <IconDownload size={18} />
          </ActionIcon>
        </Tooltip>
      </Group>
      {failure ? (
        <Group gap="xs" mb="xs" role="alert">
          <Text size="sm" c="var(--bad)">
            {failure.of === 'recording'
              ? 'The recording cannot be played.'
              : 'The waveform could not be loaded. The recording can still be played.'}
          </Text>
          <Button size="compact-xs" variant="default" loading={failure.isRetrying} onClick={failure.retry}>
            Try again
          </Button>
        </Group>
      ) : null}
      <div className={styles.lines}>
        <div className={styles.channels} aria-hidden>
          {channels.map((channel, i) => (
            <span key={channel} data-agent={i === 1 || undefined} title={channel}>
              {channel}
            </span>
          ))}
        </div>
        <PositionSlider playback={playback} seconds={seconds}>
          {typeof peaks === 'object' ? (
            <Suspense fallback={<Waiting />}>
              <Waveform playback={playback} peaks={peaks} />
            </Suspense>
          ) : (
            <Placeholder
              isLoading={peaks === undefined && failure === undefined}
              isLong={peaks === 'too-long'}
            />
          )}
        </PositionSlider>
      </div>
    </section>
  );
}

function Skip({ playback, byMs }: { playback: Playback; byMs: number }) {
  const isBack = byMs < 0;
  const label = `${isBack ? 'Back' : 'Forward'} ${Math.abs(byMs) / 1000} seconds`;
  return (
    <Tooltip label={`${label} (${isBack ? '←' : '→'})`}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={() => playback.skip(byMs)}>
        {isBack ? <IconRewindBackward5 size={18} /> : <IconRewindForward5 size={18} />}
      </ActionIcon>
    </Tooltip>
  );
}

function SpeedMenu({ playback }: { playback: Playback }) {
  const speed = usePlayback(playback, (player) => player.speed(), 1);
  return (
    <Actions
      button={
        <UnstyledButton className={styles.speed} aria-label={`Speed: ${speed}×`}>
          {speed}×
        </UnstyledButton>
      }
      actions={SPEEDS.map((choice) => ({
        label: `${choice}×`,
        onClick: () => playback.setSpeed(choice),
        isChosen: choice === speed,
      }))}
    />
  );
}

function Waiting() {
  return (
    <div className={styles.waiting}>
      <Loader size="xs" type="dots" aria-label="The waveform is loading" />
    </div>
  );
}

function Placeholder({ isLoading, isLong }: { isLoading: boolean; isLong: boolean }) {
  if (isLoading) return <Waiting />;
  return (
    <Text size="xs" c="dimmed" className={styles.waiting}>
      {isLong ? 'Too long for a waveform: click' : 'Click'} here, or in the transcript, to go to a position.
    </Text>
  );
}
