import type { TimelineEntry } from '@parley/contracts';

type EntryOf<T extends TimelineEntry['type']> = Extract<TimelineEntry, { type: T }>;

/** What happened between answer and end, in order. `atMs` counts from the answer, as the recording does. */
export type Moment = { key: string; atMs: number } & (
  | { kind: 'said'; entry: EntryOf<'turn'> }
  | { kind: 'tool'; entry: EntryOf<'tool'> }
  | { kind: 'event'; entry: EntryOf<'dtmf' | 'transfer' | 'machine_detected'> }
);

/** The conversation of a call. Before an answer there is none. */
export function conversationOf(timeline: readonly TimelineEntry[], answeredAt: string | null): Moment[] {
  if (answeredAt === null) return [];
  const start = Date.parse(answeredAt);
  return timeline.flatMap((entry, i): Moment[] => {
    const place = { key: `${entry.at} ${i}`, atMs: Math.max(0, Date.parse(entry.at) - start) };
    switch (entry.type) {
      case 'turn':
        return [{ ...place, kind: 'said', entry }];
      case 'tool':
        return [{ ...place, kind: 'tool', entry }];
      case 'dtmf':
      case 'transfer':
      case 'machine_detected':
        return [{ ...place, kind: 'event', entry }];
      default:
        return [];
    }
  });
}

/** The moment that is heard at this position: the last that began before it. -1: none yet. */
export function momentAt(moments: readonly { atMs: number }[], positionMs: number): number {
  let low = 0;
  let high = moments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moments[middle]?.atMs ?? 0) <= positionMs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export type EnhancedLine = { speaker: 'user' | 'agent'; content: string; atMs: number };

const LINE = /^\[([^\]]+)\] (User|Agent): (.*)$/;

/** The enhanced transcript, line by line; undefined if it is not in the form that the platform writes. */
export function readEnhanced(transcript: string, answeredAt: string | null): EnhancedLine[] | undefined {
  const start = answeredAt === null ? Number.NaN : Date.parse(answeredAt);
  const lines = transcript.split('\n').map((line): EnhancedLine | undefined => {
    const [, at, speaker, content] = LINE.exec(line) ?? [];
    if (at === undefined || content === undefined) return undefined;
    const atMs = Math.max(0, Date.parse(at) - start);
    return { speaker: speaker === 'User' ? 'user' : 'agent', content, atMs: Number.isNaN(atMs) ? 0 : atMs };
  });
  return lines.every((line) => line !== undefined) ? lines : undefined;
}
