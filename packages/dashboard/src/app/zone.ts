/** The time zone in which times are shown and days begin. */
export function useZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
