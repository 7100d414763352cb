import type { Context } from './context.ts';
import type { GetCallDeps } from './domain/call-history/get-call.ts';
import type { OpenRecordingDeps } from './domain/recordings/open-recording.ts';
import type { Timelines } from './domain/timeline/ports.ts';
import { createCallHistory } from './store/call-history.ts';
import { createTimelines } from './store/timelines.ts';

/** What reading calls works with, and what is done with those that are over. */
export type CallReadDeps = GetCallDeps & OpenRecordingDeps & { timelines: Timelines };

export function createCallReadDeps({ prisma, recordingLinks, recordings }: Context): CallReadDeps {
  return {
    history: createCallHistory(prisma),
    timelines: createTimelines(prisma),
    recordingLinks,
    recordings,
  };
}
