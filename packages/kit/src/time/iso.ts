/** `2026-01-31T08:00:00.123Z`: v1 records other than tools and phone numbers [general.3]. */
export function toIsoMillis(date: Date): string {
  return date.toISOString();
}

/** `2026-01-31T08:00:00.123000+00:00`: tools and phone numbers [general.3]. */
export function toIsoMicros(date: Date): string {
  return `${date.toISOString().slice(0, -1)}000+00:00`;
}
