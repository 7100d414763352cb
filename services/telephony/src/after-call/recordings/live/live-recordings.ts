import { collectSegments } from './collect-segments.ts';
import { type MaintainOptions, maintainFiles, maintainSegments } from './maintain-segments.ts';
import { createOwnSegments } from './own-segments.ts';
import { createRecordLive, type RecordLiveOptions } from './record-live.ts';

export type LiveRecordings = ReturnType<typeof createLiveRecordings>;

/** Recordings of calls with audio, made while they run [calls.19]. */
export function createLiveRecordings(options: RecordLiveOptions & MaintainOptions) {
  const own = createOwnSegments();
  return {
    start: createRecordLive(options, own),
    collect: (callId: string) => collectSegments(options, own, callId),
    maintain: () => maintainSegments(options, own),
    /** Marks segments that no call in progress and no recording job needs. */
    sweep: () => options.segments.markAbandoned(),
    /** Copies everything now, because the process stops. */
    drain: async (): Promise<void> => {
      if (!options.copies) return;
      for (const segment of own.active.values()) await segment.stop();
      await maintainFiles(options, own, 0).catch((err: unknown) =>
        options.log.warn({ err }, 'recordings of live calls stay on this disk'),
      );
    },
  };
}
