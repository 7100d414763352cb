import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { exactTime, relativeTime, shortTime } from '../app/format-time.ts';
import { useZone } from '../app/zone.ts';

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
  const now = useNow(as === 'relative');
  if (!at) return <span>{none}</span>;
  const date = new Date(at);
  return (
    <Tooltip label={`${exactTime(date, zone)} · ${at}`}>
      <time dateTime={at} className="numeric">
        {as === 'relative' ? relativeTime(date, now) : shortTime(date, zone, now)}
      </time>
    </Tooltip>
  );
}

const TICK_MS = 30_000;

function useNow(ticks: boolean): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    if (!ticks) return;
    const timer = setInterval(() => setNow(new Date()), TICK_MS);
    return () => clearInterval(timer);
  }, [ticks]);
  return now;
}
