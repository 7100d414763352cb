import type { HistoryTurn, ToolAnswer } from '../engine.ts';
import { isQuestion } from './intents.ts';
import { readSlots, type Slots } from './slots.ts';

/** The engine's state of a conversation, derived from the turns only, so that another worker gets the same. */
export type Memory = {
  /** The human's lines. */
  heard: number;
  slots: Slots;
  used: Set<string>;
  /** Results that are remembered without being spoken. */
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
