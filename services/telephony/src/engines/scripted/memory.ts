import type { HistoryTurn, ToolAnswer } from '../../domain/conversation/engine-port.ts';
import { isQuestion } from './intents.ts';
import { readSlots, type Slots } from './slots.ts';

/** What the engine knows of a conversation: it follows from the turns alone, so that another worker knows the same. */
export type Memory = {
  /** Lines of the human. */
  heard: number;
  slots: Slots;
  used: Set<string>;
  /** Answers that are kept in mind without a word. */
  silent: Map<string, ToolAnswer>;
  saidGoodbye: boolean;
};

export function remember(history: readonly HistoryTurn[]): Memory {
  const memory: Memory = { heard: 0, slots: {}, used: new Set(), silent: new Map(), saidGoodbye: false };
  for (const turn of history) {
    if (turn.role === 'tool') memory.used.add(turn.toolName);
    else if (turn.role === 'user') hearLine(memory, turn.content);
    else memory.saidGoodbye = /\bGoodbye!$/.test(turn.content);
  }
  return memory;
}

export function hearLine(memory: Memory, line: string): void {
  memory.heard += 1;
  if (!isQuestion(line)) memory.slots = { ...memory.slots, ...readSlots(line) };
}
