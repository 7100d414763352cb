import type { TimelineEntry } from '@parley/contracts';

type Turn = Extract<TimelineEntry, { type: 'turn' }>;
export type Latency = NonNullable<Turn['latency']>;

/** What a person waits for, from the end of their speech to the first sound of the answer. */
export const STAGES = [
  { name: 'End of turn', description: 'until it was known that the person had finished' },
  { name: 'First token', description: 'until the model began its answer' },
  { name: 'First audio', description: 'until the answer could be heard' },
] as const;

/** Milliseconds of each stage by itself; together they are the latency. */
export function stagesOf({ end_of_turn_ms, first_token_ms, first_audio_ms }: Latency): number[] {
  const endOfTurn = Math.max(0, end_of_turn_ms);
  const firstToken = Math.max(endOfTurn, first_token_ms);
  return [endOfTurn, firstToken - endOfTurn, Math.max(0, first_audio_ms - firstToken)];
}

export type LatencySummary = { count: number; median: number; p95: number; slowest: number };

/** Over the answers of a call; undefined where none was measured. */
export function summarize(timeline: readonly TimelineEntry[]): LatencySummary | undefined {
  const all = timeline
    .flatMap((entry) => (entry.type === 'turn' && entry.latency ? [entry.latency.first_audio_ms] : []))
    .sort((a, b) => a - b);
  if (all.length === 0) return undefined;
  const at = (share: number) => all[Math.min(all.length - 1, Math.ceil(share * all.length) - 1)] ?? 0;
  return { count: all.length, median: at(0.5), p95: at(0.95), slowest: at(1) };
}
