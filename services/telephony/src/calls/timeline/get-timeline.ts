import type { TimelineEntry } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import type { Timelines } from './timelines.store.ts';
import { toTimeline } from './to-timeline.ts';

export type TimelineDeps = { timelines: Timelines };

/** The timeline of a call [calls.11]. */
export async function getTimeline(
  { timelines }: TimelineDeps,
  workspaceId: string,
  callId: string,
): Promise<TimelineEntry[]> {
  const found = await timelines.find(workspaceId, callId);
  if (!found) throw notFound('Call');
  return toTimeline(found.call, found.items);
}
