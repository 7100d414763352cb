/** The instant of a local time (`2026-03-14T09:00`) in a zone; undefined if it is no time. */
export function instantOf(local: string, zone: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(local)) return undefined;
  const utc = Date.parse(`${local}:00Z`);
  if (Number.isNaN(utc)) return undefined;
  const guess = utc - offsetMs(utc, zone);
  return new Date(utc - offsetMs(guess, zone));
}

/** What a clock in the zone is ahead of UTC at this instant. */
export function offsetMs(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(new Date(at));
  const part = (type: string) => Number(parts.find((found) => found.type === type)?.value ?? 0);
  const local = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return local - Math.floor(at / 1000) * 1000;
}
