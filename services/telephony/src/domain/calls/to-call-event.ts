import type { LegEvent } from '../carrier/port.ts';
import type { CallEvent } from './transition.ts';

/** What an event of the carrier means for the call; null: nothing. */
export function toCallEvent(event: LegEvent): CallEvent | null {
  const { legId, at } = event;
  switch (event.type) {
    case 'ringing':
    case 'machine_detected':
      return { type: event.type, legId, at };
    case 'answered':
      return { type: 'answered', legId, at };
    case 'ended': {
      const { cause, answeredAt, machine } = event;
      return { type: 'ended', legId, facts: { cause, at, answeredAt, machine } };
    }
    default:
      return null;
  }
}
