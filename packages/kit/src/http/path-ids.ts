import { isUuid } from '../ids/index.ts';

const namesOf = new Map<string, string[]>();

/**
 * The resource ids in a path, for log lines: `/v2/call/:id/stop` has a `callId`, `/v1/campaigns/:id` a `campaignId`. Only UUIDs: other
 * parameters may be secret links.
 */
export function pathIds(pattern: string, segments: readonly string[]): Record<string, string> {
  const names = namesOf.get(pattern) ?? readNames(pattern);
  namesOf.set(pattern, names);
  const ids: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = segments[index];
    if (value !== undefined && isUuid(value)) ids[name] = value;
  }
  return ids;
}

function readNames(pattern: string): string[] {
  const parts = pattern.split('/');
  return parts.flatMap((part, index) =>
    part.startsWith(':') ? [`${singular(parts[index - 1] ?? '')}Id`] : [],
  );
}

/** `phone-number` as `phoneNumber`, `campaigns` as `campaign`. */
function singular(part: string): string {
  return part.replace(/s$/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
