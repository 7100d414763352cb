import type { Clock } from '@parley/kit/time';
import type { EndCause, LegEvent, Progress } from '../../domain/carrier/port.ts';
import type { TextPort } from '../../domain/conversation/text-port.ts';
import { createHuman } from './human.ts';
import { echoesAfterEnd, endEvent, eventsBeforeEnd, knownEnd, type LegRecord } from './leg-events.ts';
import { planOf } from './plan.ts';

/** A leg that this process plays. */
export type LiveLeg = {
  record: LegRecord;
  port: TextPort;
  /** Ends it now; a leg ends once. */
  end(cause: EndCause): void;
  tell(event: LegEvent): void;
  /** Does something later, unless the leg is over by then. Stack milliseconds. */
  after(ms: number, act: () => void): void;
  /** Stops playing it, without an end. */
  drop(): void;
};

export type LiveLegOptions = {
  record: LegRecord;
  progress: Progress;
  clock: Clock;
  tell: (event: LegEvent) => void;
};

/** How much later a muddled carrier repeats itself after the end, in stack milliseconds. */
const ECHO_MS = 300;

/**
 * Plays a leg from wherever it is by now: what has happened already is told at once, so that a process that takes it
 * over hears everything.
 */
export function playLeg({ record, progress, clock, tell }: LiveLegOptions): LiveLeg {
  const plan = planOf(record);
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
    tell(ended);
    const echoes = echoesAfterEnd(record, plan, ended);
    if (echoes.length > 0) at(new Date(clock.now().getTime() + ECHO_MS), () => echoes.forEach(tell));
  };

  const human = createHuman({
    script: plan.script,
    progress,
    clock,
    onHangup: () => finish('remote', clock.now()),
  });

  const begin = (): void => {
    for (const { event, tellAt } of eventsBeforeEnd(record, plan)) at(tellAt, () => tell(event));
    const end = knownEnd(record, plan);
    if (end) at(end.at, () => finish(end.cause, end.at));
    if (plan.answeredMs !== null && !record.endedAt) {
      at(new Date(record.originatedAt.getTime() + plan.answeredMs), () => human.start());
    }
  };

  begin();
  return {
    record,
    port: human.port,
    tell,
    drop,
    end: (cause) => finish(cause, clock.now()),
    after: (ms, act) => at(new Date(clock.now().getTime() + ms), act),
  };
}
