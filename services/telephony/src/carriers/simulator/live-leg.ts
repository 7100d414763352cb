import type { Clock } from '@parley/kit/time';
import type { EndCause, LegEvent, LegSoFar } from '../call-control.ts';
import type { Media } from '../media.ts';
import { createHuman, type Human } from './human.ts';
import { endEvent, eventsBeforeEnd, knownEnd, repeatedAfterEnd } from './leg-events.ts';
import type { LegRecord } from './leg-record.ts';
import { planOf } from './plan.ts';
import type { OpenSpokenLine, SpokenLine } from './spoken/spoken-lines.ts';

/** A leg that this process simulates. */
export type LiveLeg = {
  record: LegRecord;
  media(): Media | undefined;
  sendDigits(digits: string): Promise<void>;
  /** Ends the leg now. Later calls have no effect. */
  end(cause: EndCause): void;
  emit(event: LegEvent): void;
  /** Runs `act` after `ms` of platform time, unless the leg has ended. */
  after(ms: number, act: () => void): void;
  /** Stops simulating the leg without ending it. */
  drop(): void;
};

export type LiveLegOptions = {
  record: LegRecord;
  soFar: LegSoFar;
  clock: Clock;
  emit: (event: LegEvent) => void;
  /** Undefined: the leg carries text. */
  openSpokenLine: OpenSpokenLine | undefined;
};

const KEYS = /^[0-9*#A-D]+$/;
/** Delay of the events that a disorderly carrier repeats after the end, in platform time. */
const ECHO_MS = 300;

/**
 * Simulates a leg from its current state. Past events are emitted at once, so a process that takes the leg over gets
 * all of them.
 */
export function playLeg({ record, soFar, clock, emit, openSpokenLine }: LiveLegOptions): LiveLeg {
  const planned = planOf(record);
  // Over audio the platform judges by itself who has answered.
  const plan = openSpokenLine ? { ...planned, machineMs: null } : planned;
  const timers = new Set<() => void>();
  let over = false;

  const at = (when: Date, act: () => void): void => {
    const cancel = clock.timer(when.getTime() - clock.now().getTime(), () => {
      timers.delete(cancel);
      act();
    });
    timers.add(cancel);
  };

  const drop = (): void => {
    human.stop();
    for (const cancel of timers) cancel();
    timers.clear();
  };

  const finish = (cause: EndCause, when: Date): void => {
    if (over) return;
    over = true;
    drop();
    const ended = endEvent(record, plan, { cause, at: when });
    emit(ended);
    const repeated = repeatedAfterEnd(record, plan, ended);
    if (repeated.length > 0) at(new Date(clock.now().getTime() + ECHO_MS), () => repeated.forEach(emit));
  };

  const onHangup = (): void => finish('remote', clock.now());
  const human = openSpokenLine
    ? openSpokenLine({ record, plan, soFar, onHangup })
    : textLineOf(createHuman({ script: plan.script, soFar, clock, onHangup }));
  const onMedia = (): void => emit({ type: 'media', legId: record.id, at: clock.now() });

  const begin = (): void => {
    for (const { event, emitAt } of eventsBeforeEnd(record, plan)) at(emitAt, () => emit(event));
    const end = knownEnd(record, plan);
    if (end) at(end.at, () => finish(end.cause, end.at));
    if (plan.answeredMs !== null && !record.endedAt) {
      at(new Date(record.originatedAt.getTime() + plan.answeredMs), () => human.start(onMedia));
    }
  };

  begin();
  return {
    record,
    media: human.media,
    sendDigits: human.sendDigits,
    emit,
    drop,
    end: (cause) => finish(cause, clock.now()),
    after: (ms, act) => at(new Date(clock.now().getTime() + ms), act),
  };
}

/** Text is available from the start. The human does not notice keys. */
function textLineOf({ port, start, stop }: Human): SpokenLine {
  const sendDigits = async (digits: string): Promise<void> => {
    if (!KEYS.test(digits)) throw new RangeError('Not keys of a telephone');
  };
  return { media: () => ({ kind: 'text', line: port }), sendDigits, start, stop };
}
