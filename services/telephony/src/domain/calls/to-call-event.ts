import type { EndCause, LegEvent } from '../carrier/port.ts';
import type { CallEndCause } from './judge-end.ts';
import type { CallEvent } from './transition.ts';

/** What an event of the carrier means for the call; null: nothing. `named`: only we know why we ended it, if it was us. */
export function toCallEvent(event: LegEvent, named: (cause: EndCause) => CallEndCause): CallEvent | null {
  const { legId, at } = event;
  switch (event.type) {
    case 'ringing':
    case 'machine_detected':
      return { type: event.type, legId, at };
    case 'answered':
      return { type: 'answered', legId, at };
    case 'ended': {
      const { answeredAt, machine } = event;
      const cause = named(event.cause);
      return { type: 'ended', legId, facts: { cause, at, answeredAt, machine } };
    }
    default:
      return null;
  }
}
