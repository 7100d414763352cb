import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import type { Carrier, Progress } from '../carrier/port.ts';
import type { FindEngine } from '../conversation/engine-port.ts';
import type { PreparedAssistant } from '../conversation/prepare-prompt.ts';
import type { ToolRunner } from '../tools/run-tool.ts';
import type { Call } from './call.ts';
import type { Obstacle, RejectionCause } from './judge-end.ts';
import type { CallWrites, Entry, Owner, ToolsUnderWay, TurnWriter } from './ports.ts';
import type { SessionLife } from './session-life.ts';
import type { CallEvent } from './transition.ts';

export type SessionDeps = {
  carrier: Carrier;
  clock: Clock;
  log: Log;
  owner: Owner;
  writes: CallWrites;
  /** Whether something stands in the way of a dial by now: asked right before the carrier is (D6.10). */
  obstacleTo: (call: Call) => Promise<Obstacle | null>;
  turns: TurnWriter;
  toolsUnderWay: ToolsUnderWay;
  findEngine: FindEngine;
  runTool: ToolRunner;
};

/** Why we hang up on a call or turn it away. */
export type WhyWeEnd = 'local' | 'timed_out' | 'stopped' | 'unsettled' | 'failed' | RejectionCause;

/** What the parts of a session share: the call as it is now, and the one way to change it. */
export type CallParts = {
  deps: SessionDeps;
  assistant: PreparedAssistant;
  /** What was said and done so far; grows. */
  record: Entry[];
  life: SessionLife;
  log: Log;
  call(): Call;
  /** Whether the carrier has told of the answer, which may not be written yet. */
  isAnswered(): boolean;
  /** Whether a client wants the call ended: what hasn't left for the carrier doesn't leave any more. */
  isStopping(): boolean;
  /** Whether it was decided here that the call ends, and the carrier asked to hang up. */
  isHangingUp(): boolean;
  /** Queues an event; resolves when its effect is committed. */
  post(event: CallEvent): Promise<void>;
  /** Ends the call for a reason that no leg tells. */
  postEnd(cause: WhyWeEnd | Obstacle | 'lost'): Promise<void>;
  /**
   * Asks the carrier to do something to the call, until it has or the session is over; not when the call is another
   * worker's by now. False: it was not asked.
   */
  command(what: string, act: () => Promise<void>): Promise<boolean>;
  /** Asks the carrier to hang up, whose word on it ends the call; why, where the carrier can't know. */
  hangUp(why?: WhyWeEnd): void;
  /** The platform can't go on with the call: it ends with `error`. */
  fail(err: unknown): void;
};

/** How long ago something was, in stack milliseconds; 0 if it never was, or by another worker's clock is still to come. */
export function sinceMs({ deps }: CallParts, at: Date | null): number {
  return at ? Math.max(0, deps.clock.now().getTime() - at.getTime()) : 0;
}

/** What a carrier has to know to play a leg on. */
export function progressOf(record: readonly Entry[]): Progress {
  const spoken = record.flatMap(({ role }) => (role === 'tool' ? [] : [role]));
  return {
    humanTurns: spoken.filter((role) => role === 'user').length,
    lastSpeaker: spoken.at(-1) ?? null,
  };
}
