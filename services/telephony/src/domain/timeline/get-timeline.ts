import type { TimelineEntry } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import type { Timelines } from './ports.ts';
import { toTimeline } from './to-timeline.ts';

/** `GET /v2/call/{id}/timeline` (D6.12). */
export async function getTimeline(
  { timelines }: { timelines: Timelines },
  workspaceId: string,
  callId: string,
): Promise<TimelineEntry[]> {
  const found = await timelines.find(workspaceId, callId);
  if (!found) throw notFound('Call');
  return toTimeline(found.call, found.items);
}
