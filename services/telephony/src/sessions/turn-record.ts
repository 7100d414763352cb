import type { EventQueue } from './event-queue.ts';
import type { Entry, SpokenEntry, SpokenTurn } from './ports.ts';
import type { CallRecord } from './record.ts';

export type TurnRecord = {
  note(entry: SpokenEntry): Entry | undefined;
  correct(entry: Entry, turn: SpokenTurn): void;
};

type Options = {
  queue: EventQueue;
  record: CallRecord;
  isHangingUp: () => boolean;
  hangUp: (cause: 'local') => void;
};

/** Records what a conversation says and does. A full record ends the call. */
export function createTurnRecord({ queue, record, isHangingUp, hangUp }: Options) {
  let isHandedOver = false;
  const note: CallRecord['add'] = (entry) => {
    const written = record.add(entry);
    if (record.isFull() && !isHangingUp()) {
      const turns = record.entries.length;
      queue.log.warn({ turns }, 'the call has reached its maximum of turns or text and is ended');
      hangUp('local');
    }
    return written;
  };
  const correct: CallRecord['correct'] = (entry, { isInterrupted, ...heard }) => {
    const isFinal = !isHandedOver && isInterrupted !== undefined;
    record.correct(entry, isFinal ? { ...heard, isInterrupted } : heard);
  };
  return {
    note,
    correct,
    /** Turns that are cut off from now on stay without `isInterrupted`: the next worker answers them again (`history.ts`). */
    handOver: (): void => {
      isHandedOver = true;
    },
  };
}
