const MINUTE_MS = 60_000;
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d))?$/;
const formats = new Map<string, Intl.DateTimeFormat | undefined>();

/** Local time minus UTC at an instant; undefined for a zone that this machine doesn't know. */
export function zoneOffsetMs(zone: string, atMs: number): number | undefined {
  const found = OFFSET.exec(formatOf(zone)?.format(atMs) ?? '');
  if (!found) return undefined;
  const [, sign, hours = 0, minutes = 0] = found;
  const ms = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  return sign === '-' ? -ms : ms;
}

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  if (!formats.has(zone)) formats.set(zone, createFormat(zone));
  return formats.get(zone);
}

function createFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
}
