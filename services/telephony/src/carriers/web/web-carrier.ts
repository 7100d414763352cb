import type { Clock } from '@parley/kit/time';
import type { WebLine, WebLines } from '../../web-calls/ports.ts';
import type { EndCause } from '../call-control.ts';
import type { Carrier } from '../carrier.ts';
import { createListeners } from '../listeners.ts';
import { createHeardLines, type HeardLines } from './heard-lines.ts';

export const WEB = 'web';

export type WebCarrier = Carrier & {
  /** Polls the lines that this process holds. */
  look(): Promise<boolean>;
};

export type WebCarrierDeps = { lines: WebLines; clock: Clock; sendSms: Carrier['sendSms'] };

/**
 * The carrier of text web calls. A line is a row and messages travel through the database, so that the participant's requests
 * may reach any process.
 */
export function createWebCarrier({ lines, clock, sendSms }: WebCarrierDeps): WebCarrier {
  const held = new Map<string, HeardLines>();
  const { watch, emit } = createListeners();

  const emitLine = ({ callId, answeredAt, endedAt, endedCause }: WebLine): void => {
    if (answeredAt) emit(callId, { type: 'answered', legId: null, at: answeredAt });
    if (!endedAt) return;
    const cause = (endedCause ?? 'lost') as EndCause;
    emit(callId, { type: 'ended', legId: null, at: endedAt, cause, answeredAt, machine: false });
  };

  const change = async (reference: string, act: () => Promise<void>): Promise<void> => {
    await act();
    const line = await lines.find(reference);
    if (line) emitLine(line);
  };

  const end = (reference: string, cause: EndCause): Promise<void> =>
    change(reference, () => lines.end(reference, cause, clock.now()));

  return {
    name: WEB,
    capabilities: { transfer: false, takeover: 'reattach', media: 'text' },
    watch,
    originate: () => Promise.reject(new Error('Web calls cannot be originated')),
    // The participant has joined already.
    receive: () => {},
    answer: (reference) => change(reference, () => lines.answer(reference, clock.now())),
    reject: (reference) => end(reference, 'rejected'),
    attach: async (reference, { humanTurns }) => {
      const line = await lines.find(reference);
      if (!line) return false;
      held.set(reference, createHeardLines(humanTurns));
      emitLine(line);
      return true;
    },
    detach: (reference) => void held.delete(reference),
    hangup: (reference) => end(reference, 'local'),
    transfer: async ({ reference, transferId }) => {
      emit(reference, { type: 'transfer_result', legId: null, at: clock.now(), transferId, ok: false });
    },
    sendSms,
    sendDigits: () => Promise.reject(new Error('A web call has no keys')),
    media: (reference) => {
      const lines = held.get(reference);
      return lines && { kind: 'text', line: lines.port };
    },
    look: async () => {
      if (held.size === 0) return false;
      for (const { line, messages } of await lines.updates(
        new Map([...held].map(([reference, { next }]) => [reference, next()])),
      )) {
        for (const message of messages) held.get(line.callId)?.add(message);
        if (line.endedAt) emitLine(line);
      }
      return false;
    },
  };
}
