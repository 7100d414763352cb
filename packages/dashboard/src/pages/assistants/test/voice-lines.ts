import type { TimelineEntry } from '@parley/contracts';
import type { Tool, Turn } from '@parley/web';

type EntryOf<T extends TimelineEntry['type']> = Extract<TimelineEntry, { type: T }>;

/** A tool as the connection reports it, with `performance.now()` of its start and its end. */
export type TimedTool = Tool & { startedMs: number; endedMs?: number };

/** A line of a call by voice. What is stored already has latencies, arguments and results; `durationMs` is measured here. */
export type VoiceLine = { key: string } & (
  | { kind: 'said'; role: 'user' | 'agent'; text: string; latencyMs?: number | undefined }
  | { kind: 'used'; entry: EntryOf<'tool'>; durationMs?: number | undefined }
  | { kind: 'using'; tool: TimedTool }
);

/** Turns and tools in their order: those of the stored timeline, then what only the connection knows yet. Both have the same order. */
export function linesOf(
  timeline: readonly TimelineEntry[],
  turns: readonly Turn[],
  tools: readonly TimedTool[],
): VoiceLine[] {
  // Tools are stored when they end.
  const ended = tools
    .filter(({ endedMs }) => endedMs !== undefined)
    .sort((a, b) => Number(a.endedMs) - Number(b.endedMs));
  const stored = { turns: 0, tools: 0 };
  const lines = timeline.flatMap((entry): VoiceLine[] => {
    if (entry.type === 'turn') {
      stored.turns += 1;
      const { role, content: text, latency } = entry;
      return [{ key: `turn ${stored.turns}`, kind: 'said', role, text, latencyMs: latency?.first_audio_ms }];
    }
    if (entry.type !== 'tool') return [];
    const tool = ended[stored.tools];
    stored.tools += 1;
    const durationMs = tool?.name === entry.tool_name ? durationOf(tool) : undefined;
    return [{ key: `tool ${stored.tools}`, kind: 'used', entry, durationMs }];
  });
  const running = tools.filter(({ endedMs }) => endedMs === undefined);
  return [
    ...lines,
    ...turns
      .slice(stored.turns)
      .map(
        ({ role, text }, i): VoiceLine => ({ key: `turn ${stored.turns + i + 1}`, kind: 'said', role, text }),
      ),
    ...[...ended.slice(stored.tools), ...running].map(
      (tool): VoiceLine => ({ key: tool.id, kind: 'using', tool }),
    ),
  ];
}

function durationOf({ startedMs, endedMs = startedMs }: TimedTool): number {
  return Math.round(endedMs - startedMs);
}
