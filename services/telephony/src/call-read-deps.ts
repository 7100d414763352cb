import { createSimulatedTranscriber } from './carriers/simulator/recording/simulated-transcriber.ts';
import type { Context } from './context.ts';
import type { GetCallDeps } from './domain/call-history/get-call.ts';
import type { OpenRecordingDeps } from './domain/recordings/open-recording.ts';
import type { Timelines } from './domain/timeline/ports.ts';
import type { FixTranscriptDeps } from './domain/transcripts/fix-transcript.ts';
import { createCallHistory } from './store/call-history.ts';
import { createTimelines } from './store/timelines.ts';
import { createTranscriptFixes } from './store/transcript-fixes.ts';

/** What reading calls works with, and what is done with those that are over. */
export type CallReadDeps = GetCallDeps & OpenRecordingDeps & FixTranscriptDeps & { timelines: Timelines };

export function createCallReadDeps(context: Context): Omit<CallReadDeps, 'clock'> {
  const { prisma, outbox, recordingLinks, recordings } = context;
  return {
    history: createCallHistory(prisma),
    timelines: createTimelines(prisma),
    recordingLinks,
    recordings,
    transcriber: createSimulatedTranscriber(recordings),
    fixes: createTranscriptFixes({ sql: prisma, outbox, signRecording: recordingLinks.signForEvent }),
  };
}
