import type { Media } from '../carriers/media.ts';
import type { HistoryTurn } from '../engines/engine.ts';
import type { Entry } from './ports.ts';
import type { CallRecord } from './record.ts';

export type History = {
  /** For engines. */
  turns(): readonly HistoryTurn[];
  /** The `seq` of what the assistant last said or did; -1: nothing. */
  lastAnswerSeq(): number;
};

/**
 * The conversation so far. Created when the conversation begins here: turns that a dead worker was speaking are
 * omitted, because it is unknown what the human heard of them. The engine answers again [calls.17].
 */
export function createHistory(record: Pick<CallRecord, 'entries'>, kind: Media['kind']): History {
  const unheard = new Set(kind === 'audio' ? record.entries.filter(isUncorrected).map(({ seq }) => seq) : []);
  const entries = (): Entry[] => record.entries.filter(({ seq }) => !unheard.has(seq));
  return {
    turns: () => entries().map(toTurn),
    lastAnswerSeq: () => entries().findLast(({ role }) => role !== 'user')?.seq ?? -1,
  };
}

/** Whether a turn of the assistant has not been corrected to what was heard: its worker died while speaking it, or the call is text. */
export const isUncorrected = (entry: Entry): boolean =>
  entry.role === 'agent' && entry.isInterrupted === undefined;

function toTurn(entry: Entry): HistoryTurn {
  if (entry.role !== 'tool') return { role: entry.role, content: entry.content };
  const { toolName, args, outcome } = entry;
  return { role: 'tool', toolName, args, result: outcome.result, error: outcome.error };
}
