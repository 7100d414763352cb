import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { type Playback, positionText } from './playback.ts';
import styles from './recording-player.module.css';
import { usePlayback } from './use-playback.ts';

const STEP_MS = 5_000;
const LARGE_STEP_MS = 30_000;

type Props = { playback: Playback; seconds: number; children: ReactNode };

/** The position in the recording as a slider, whatever is drawn in it. */
export function PositionSlider({ playback, seconds, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const second = usePlayback(playback, (player) => Math.floor(player.positionMs() / 1000), 0);
  const share = usePlayback(
    playback,
    (player) => Math.round((player.positionMs() / 1000 / Math.max(1, seconds)) * 1000) / 10,
    0,
  );
  const toPointer = (clientX: number) => {
    const area = box.current?.getBoundingClientRect();
    if (area) playback.seek(((clientX - area.left) / area.width) * seconds * 1000);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = keyMove(event.key, playback.positionMs(), seconds * 1000);
    if (move === undefined) return;
    event.preventDefault();
    // The page has the same keys for elsewhere.
    event.stopPropagation();
    playback.seek(move);
  };
  return (
    <div
      ref={box}
      className={styles.slider}
      role="slider"
      tabIndex={0}
      aria-label="Position in the recording"
      aria-valuemin={0}
      aria-valuemax={seconds}
      aria-valuenow={Math.min(second, seconds)}
      aria-valuetext={`${positionText(second * 1000)} of ${positionText(seconds * 1000)}`}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        toPointer(event.clientX);
      }}
      onPointerMove={(event) => {
        if (event.buttons === 1) toPointer(event.clientX);
      }}
    >
      {children}
      <div className={styles.progress} style={{ width: `${Math.min(100, share)}%` }} />
    </div>
  );
}

function keyMove(key: string, positionMs: number, endMs: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return positionMs - STEP_MS;
    case 'ArrowRight':
    case 'ArrowUp':
      return positionMs + STEP_MS;
    case 'PageDown':
      return positionMs - LARGE_STEP_MS;
    case 'PageUp':
      return positionMs + LARGE_STEP_MS;
    case 'Home':
      return 0;
    case 'End':
      return endMs;
    default:
      return undefined;
  }
}
