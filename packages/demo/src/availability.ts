const DAY = /\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b/i;

/** The response of the demo's tool: whether the workshop is open when the caller wants to come. */
export function checkAvailability(args: Record<string, unknown>): Record<string, unknown> {
  const wish = typeof args.wish === 'string' ? args.wish : '';
  const day = DAY.exec(wish)?.[0] ?? 'Monday';
  const hour = typeof args.hour === 'number' ? args.hour : 9;
  return { day, hour, free: hour >= 8 && hour < 18 };
}
