import type { Turn } from './call.ts';

/** A turn as the server tells it when it is asked. */
export type Message = { seq: number; role: 'user' | 'agent'; content: string };

/** The turns of a call, by `seq`: each is told once, and again when it is corrected. */
export function createTranscript(onTurn: (turn: Turn) => void) {
  const turns = new Map<number, Turn>();
  const put = (turn: Turn): void => {
    if (turns.get(turn.seq)?.text === turn.text) return;
    if (turn.text === '') turns.delete(turn.seq);
    else turns.set(turn.seq, turn);
    onTurn(turn);
  };
  return {
    put,
    addMessages: (messages: readonly Message[]): void => {
      for (const { seq, role, content } of messages) put({ seq, role, text: content });
    },
    all: (): Turn[] => [...turns.values()].sort((a, b) => a.seq - b.seq),
    lastSeq: (): number | undefined => (turns.size > 0 ? Math.max(...turns.keys()) : undefined),
  };
}
