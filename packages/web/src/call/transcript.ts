import type { Turn } from './call.ts';

/** A turn as `GET /widget/session/messages` returns it. */
export type Message = { seq: number; role: 'user' | 'agent'; content: string };

/** The number of last turns that may have been corrected while there was no connection. */
const READ_AGAIN = 8;

/** The turns of a call, by `seq`: `onTurn` is called once for each, and again when it is corrected. */
export function createTranscript(onTurn: (turn: Turn) => void) {
  const turns = new Map<number, Turn>();
  /** Received by the present connection, which is ahead of what the server has stored. */
  const live = new Set<number>();
  const set = (turn: Turn): void => {
    if ((turns.get(turn.seq)?.text ?? '') === turn.text) return;
    if (turn.text === '') turns.delete(turn.seq);
    else turns.set(turn.seq, turn);
    onTurn(turn);
  };
  const all = (): Turn[] => [...turns.values()].sort((a, b) => a.seq - b.seq);
  return {
    put: (turn: Turn): void => {
      live.add(turn.seq);
      set(turn);
    },
    /** The connection was lost: what was said last may be corrected unnoticed. */
    disconnect: () => live.clear(),
    /** Turns that the server has stored. Those of `unsure` that are missing were taken back. */
    addMessages: (messages: readonly Message[], unsure: readonly Turn[] = []): void => {
      const missing = unsure.filter((turn) => !messages.some(({ seq }) => seq === turn.seq));
      for (const turn of [
        ...missing.map(({ seq, role }) => ({ seq, role, text: '' })),
        ...messages.map(({ seq, role, content }) => ({ seq, role, text: content })),
      ])
        if (!live.has(turn.seq)) set(turn);
    },
    all,
    lastSeq: (): number | undefined => all().at(-1)?.seq,
    /** The last turns, and the `seq` before them, after which they are read again. */
    unsure: (): { turns: Turn[]; after: number | undefined } => ({
      turns: all().slice(-READ_AGAIN),
      after: all().at(-READ_AGAIN - 1)?.seq,
    }),
  };
}
