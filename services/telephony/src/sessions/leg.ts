import type { EndCause, LegEvent, LegSoFar, OriginateRequest } from '../carriers/call-control.ts';
import type { Carrier } from '../carriers/carrier.ts';
import type { Media } from '../carriers/media.ts';
import type { CallEndCause } from './judge-end.ts';
import type { Entry } from './ports.ts';
import type { CallEvent } from './transition.ts';

/** One leg of a call at its carrier. Commands are idempotent; their effects come back as events. */
export type Leg = {
  /** Known to the carrier by this id; the party's leg has the id of the call. */
  reference: string;
  /** The carrier reported an answer, which may not be recorded yet. */
  isAnswered(): boolean;
  /** Brings the leg to this process. False: the carrier knows no such leg (yet). */
  attach(record: readonly Entry[]): Promise<boolean>;
  /** False: nothing can be sent, and `originate` reports why. Rejects if a later slot may be better. */
  prepare(request: Omit<OriginateRequest, 'reference'>): Promise<boolean>;
  /** `isSent` false: there is no leg. */
  originate(request: Omit<OriginateRequest, 'reference'>): Promise<{ isSent: boolean }>;
  answer(): Promise<void>;
  reject(): Promise<void>;
  hangup(): Promise<void>;
  /** Undefined until the carrier has some, which the event `media` announces. */
  media(): Media | undefined;
  /** Stops listening to the leg, which continues at the carrier. */
  detach(): void;
};

type Options = {
  reference: string;
  /** The state that the carrier stored for the leg. */
  state: unknown;
  onEvent: (event: LegEvent) => void;
};

export function createLeg(carrier: Carrier, { reference, state, onEvent }: Options): Leg {
  let isAnswered = false;
  /** The carrier may have opened the leg in this process. */
  let isHere = false;
  const unwatch = carrier.watch(reference, (event) => {
    if (event.type === 'answered') isAnswered = true;
    onEvent(event);
  });
  return {
    reference,
    isAnswered: () => isAnswered,
    attach: (record) => {
      isHere = true;
      return carrier.attach(reference, { ...progressOf(record), state });
    },
    prepare: async (request) => (await carrier.prepare?.({ reference, ...request })) ?? true,
    originate: async (request) => {
      isHere = true;
      const result = await carrier.originate({ reference, ...request });
      isHere = result.isSent;
      return result;
    },
    answer: () => carrier.answer(reference),
    reject: () => carrier.reject(reference),
    hangup: () => carrier.hangup(reference),
    media: () => carrier.media(reference),
    detach: () => {
      unwatch();
      // The leg of a dial that did not leave belongs to another session, if the call was reserved again.
      if (isHere) carrier.detach(reference);
    },
  };
}

/** The part of the conversation that a carrier needs to resume a leg. */
function progressOf(record: readonly Entry[]): Omit<LegSoFar, 'state'> {
  const spoken = record.flatMap(({ role }) => (role === 'tool' ? [] : [role]));
  return {
    humanTurns: spoken.filter((role) => role === 'user').length,
    lastSpeaker: spoken.at(-1) ?? null,
  };
}

/** The call event of an event of the party's leg; null: it doesn't change the call. `toCause` adds our own reason for an end. */
export function toCallEvent(event: LegEvent, toCause: (cause: EndCause) => CallEndCause): CallEvent | null {
  const { legId, at } = event;
  switch (event.type) {
    case 'ringing':
    case 'machine_detected':
    case 'answered':
      return { type: event.type, legId, at };
    // Some carriers report early media instead of ringing.
    case 'progress':
      return { type: 'ringing', legId, at };
    case 'dtmf':
      return {
        type: 'timeline_entry',
        entry: { type: 'dtmf', at, detail: { digits: event.digits, direction: 'received' } },
      };
    case 'ended': {
      const { answeredAt, machine, provider } = event;
      const facts = { cause: toCause(event.cause), at, answeredAt, machine };
      return { type: 'ended', legId, facts: provider ? { ...facts, provider } : facts };
    }
    default:
      return null;
  }
}
