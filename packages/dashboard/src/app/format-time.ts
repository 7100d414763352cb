const formats = new Map<string, Intl.DateTimeFormat>();

/** Creating a format takes far longer than using it, and lists show thousands of times. */
function formatOf(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${JSON.stringify(options)}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone });
    formats.set(key, format);
  }
  return format;
}

/** `14 Mar 09:26`, with the year unless it is the current one. */
export function shortTime(date: Date, zone: string, now: Date): string {
  const isThisYear = date.getFullYear() === now.getFullYear();
  const text = formatOf(zone, {
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
  }).format(date);
  return text.replace(',', '');
}

/** `14 Mar 2026` of `2026-03-14` */
export function formatDay(day: string): string {
  return formatOf('UTC', { day: 'numeric', month: 'short', year: 'numeric' }).format(new Date(day));
}

/** `09:26:53.589` */
export function clockTime(date: Date, zone: string): string {
  return formatOf(zone, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  }).format(date);
}

/** `Sat 14 March 2026 09:26:53.589 CET` */
export function exactTime(date: Date, zone: string): string {
  return formatOf(zone, {
    weekday: 'short',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    timeZoneName: 'short',
  }).format(date);
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** `5 minutes ago`, `in 3 days`, `just now`. */
export function relativeTime(date: Date, now: Date): string {
  const seconds = (date.getTime() - now.getTime()) / 1000;
  for (const [unit, size] of STEPS)
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  return seconds > 1 ? 'in less than a minute' : 'just now';
}

/** `1:05`, `1:02:09` from seconds. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
