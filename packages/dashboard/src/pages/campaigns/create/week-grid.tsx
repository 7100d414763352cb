import { type PointerEvent, useRef, useState } from 'react';
import { clockTime, DAY_MINUTES, DAYS, paint, type Window } from '../hours.ts';
import styles from './week-grid.module.css';

const STEP = 30;
const MARKS = [0, 6, 12, 18, 24];

type Props = { days: readonly number[]; windows: readonly Window[]; onChange: (windows: Window[]) => void };
type Stroke = { from: number; to: number; isOpen: boolean };

/**
 * The week with its open hours. The pointer paints hours, on every chosen day at once; the fields beside it do the same for
 * keyboards, and say it to screen readers.
 */
export function WeekGrid({ days, windows, onChange }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [stroke, setStroke] = useState<Stroke>();
  const minuteAt = ({ clientX }: PointerEvent): number => {
    const area = box.current?.getBoundingClientRect();
    if (!area) return 0;
    const share = Math.min(0.9999, Math.max(0, (clientX - area.left) / area.width));
    return Math.floor((share * DAY_MINUTES) / STEP) * STEP;
  };
  const shown = stroke ? paint(windows, partOf(stroke), stroke.isOpen) : windows;
  const begin = (event: PointerEvent) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const at = minuteAt(event);
    setStroke({ from: at, to: at, isOpen: !windows.some(({ start, end }) => start <= at && at < end) });
  };
  const end = () => {
    if (stroke) onChange(paint(windows, partOf(stroke), stroke.isOpen));
    setStroke(undefined);
  };
  return (
    <div className={styles.grid} aria-hidden>
      <div className={styles.names}>
        {DAYS.map((name, i) => (
          <span key={name} data-off={!days.includes(i + 1) || undefined}>
            {name.slice(0, 3)}
          </span>
        ))}
      </div>
      <div
        ref={box}
        className={styles.days}
        onPointerDown={begin}
        onPointerMove={(event) => stroke && setStroke({ ...stroke, to: minuteAt(event) })}
        onPointerUp={end}
        onPointerCancel={() => setStroke(undefined)}
      >
        {DAYS.map((name, i) => (
          <div key={name} className={styles.day} data-off={!days.includes(i + 1) || undefined}>
            {shown.map(({ start, end: until }) => (
              <span
                key={start}
                title={`${clockTime(start)}–${clockTime(until)}`}
                style={{
                  insetInlineStart: `${(start / DAY_MINUTES) * 100}%`,
                  width: `${((until - start) / DAY_MINUTES) * 100}%`,
                }}
              />
            ))}
          </div>
        ))}
      </div>
      <div className={styles.marks}>
        {MARKS.map((hour) => (
          <span key={hour} style={{ insetInlineStart: `${(hour / 24) * 100}%` }}>
            {hour}
          </span>
        ))}
      </div>
    </div>
  );
}

const partOf = ({ from, to }: Stroke): Window => ({
  start: Math.min(from, to),
  end: Math.max(from, to) + STEP,
});
