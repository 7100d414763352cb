import { isUuid } from '../ids/index.ts';

const namesOf = new Map<string, string[]>();

/**
 * The resources that a request is about, for its log line: `/v2/call/:id/stop` gives `callId`, `/v1/campaigns/:id`
 * `campaignId`. UUIDs alone: what else stands in a path may be a link that is a permission by itself.
 */
export function idsInPath(pattern: string, segments: readonly string[]): Record<string, string> {
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

/** `phone-number` and `campaigns`, the two ways in which our paths name a resource, as `phoneNumber` and `campaign`. */
function singular(part: string): string {
  return part.replace(/s$/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
