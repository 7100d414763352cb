import { Button } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import styles from './transcript.module.css';

type Props = {
  /** Index of the row that is heard; -1: none. */
  current: number;
  /** Number of rows: a live transcript follows its last one. */
  rows: number;
  isLive: boolean;
  maxHeight: string;
  children: ReactNode;
};

/** A list that keeps the current row in view until a person scrolls, and offers the way back. */
export function Transcript({ current, rows, isLive, maxHeight, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  const target = isLive ? rows - 1 : current;

  const show = useCallback((index: number) => {
    const row = box.current?.querySelector(`[data-row="${index}"]`);
    if (!row || !box.current) return;
    const [inner, outer] = [row.getBoundingClientRect(), box.current.getBoundingClientRect()];
    const isVisible = inner.top >= outer.top && inner.bottom <= outer.bottom;
    // Only this box: `scrollIntoView` would move the page as well.
    if (!isVisible) box.current.scrollTop += inner.top - outer.top - outer.height / 3;
  }, []);

  useEffect(() => {
    if (isFollowing && target >= 0) show(target);
  }, [isFollowing, target, show]);

  const stopFollowing = () => setFollowing(false);
  const label = isLive ? 'Latest' : 'Back to playback';
  return (
    <section
      ref={box}
      aria-label="Transcript"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by keyboard
      tabIndex={0}
      className={styles.scroller}
      style={{ maxHeight }}
      onWheel={stopFollowing}
      onTouchMove={stopFollowing}
      onKeyDown={(event) => {
        if (['PageUp', 'PageDown', 'Home', 'End', 'ArrowUp', 'ArrowDown'].includes(event.key))
          stopFollowing();
      }}
    >
      <ol className={styles.list}>{children}</ol>
      {!isFollowing && target >= 0 && (
        <div className={styles.pill}>
          <Button
            size="compact-sm"
            radius="xl"
            leftSection={<IconArrowDown size={14} aria-hidden />}
            onClick={() => setFollowing(true)}
          >
            {label}
          </Button>
        </div>
      )}
    </section>
  );
}
