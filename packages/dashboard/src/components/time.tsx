import { useEffect, useState } from 'react';
import { exactTime, relativeTime, shortTime } from '../app/format-time.ts';
import { useZone } from '../app/zone.ts';
import { Tooltip } from './tooltip.tsx';

type Props = {
  at: string | null | undefined;
  /** `short`: date and time; `relative`: "5 minutes ago". */
  as?: 'short' | 'relative';
  /** Instead of a missing time. */
  none?: string;
};

/** A time in the workspace's zone; hovering shows the exact instant. */
export function Time({ at, as = 'short', none = '–' }: Props) {
  const zone = useZone();
  useTicks(as === 'relative');
  if (!at) return <span>{none}</span>;
  // Of now, not of the last tick: what was changed since would be in the future.
  const [date, now] = [new Date(at), new Date()];
  return (
    <Tooltip label={`${exactTime(date, zone)} · ${at}`}>
      <time dateTime={at} className="numeric">
        {as === 'relative' ? relativeTime(date, now) : shortTime(date, zone, now)}
      </time>
    </Tooltip>
  );
}

const TICK_MS = 30_000;

/** Renders again from time to time. */
function useTicks(isTicking: boolean): void {
  const [, setTicks] = useState(0);
  useEffect(() => {
    if (!isTicking) return;
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), TICK_MS);
    return () => clearInterval(timer);
  }, [isTicking]);
}
