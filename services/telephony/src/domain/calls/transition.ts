import type { Happening } from '../timeline/happening.ts';
import type { Call, CallPhase, CallState } from './call.ts';
import { talkSeconds, toCents } from './cost.ts';
import { type EndFacts, judgeEnd } from './judge-end.ts';

/**
 * queued -> dialing -> ringing -> up -> ended; unknown stands for dialing until there is news; every one may end at once
 * (D6.3). Events come repeated and in any order, and nothing that comes late moves a call back: an event tells when it
 * happened, and `ended` tells everything that an earlier event would have told.
 */
export type CallEvent =
  /** Its slot was missed: it leaves at another. */
  | { type: 'postponed'; at: Date }
  /** The request has left for the carrier. Nobody waits for that to be written: the next change writes it too. */
  | { type: 'departed'; at: Date }
  | { type: 'answer_lost' }
  | { type: 'ringing'; legId: string | null; at: Date }
  | { type: 'answered'; legId: string | null; at: Date }
  | { type: 'machine_detected'; legId: string | null; at: Date }
  | { type: 'message_left' }
  /** Changes nothing, and belongs on the timeline. */
  | { type: 'told'; happening: Happening }
  | { type: 'ended'; legId: string | null; facts: EndFacts };

/** What the outside is to be told. */
export type CallNews = 'started' | 'ended';

export type CallRules = {
  maxDurationMs: number;
  /** Whether a machine counts as one (D3.3: settings.voicemail.detection). */
  voicemailDetection: boolean;
};

export type Transition = {
  state: CallState;
  news: CallNews[];
  /** What the change puts on the call's timeline. */
  happenings: Happening[];
  changed: boolean;
};

const ORDER: readonly CallPhase[] = ['queued', 'dialing', 'unknown', 'ringing', 'up', 'ended'];

const isBefore = (phase: CallPhase, other: CallPhase): boolean => ORDER.indexOf(phase) < ORDER.indexOf(other);

/**
 * Pure, idempotent, and indifferent to order: any permutation of what the outside tells of a call ends in the same state. What
 * we do ourselves (`postponed`, `departed`) comes before that.
 */
export function transition(
  call: Pick<Call, 'state' | 'rateCents'>,
  event: CallEvent,
  rules: CallRules,
): Transition {
  const { state } = call;
  const still: Transition = { state, news: [], happenings: [], changed: false };
  if (state.phase === 'ended') return still;
  const move = (
    change: Partial<CallState>,
    happenings: Happening[] = [],
    news: CallNews[] = [],
  ): Transition => ({ state: { ...state, ...change }, news, happenings, changed: true });

  switch (event.type) {
    case 'postponed':
      return state.phase === 'dialing' ? move({ startedAt: event.at }) : still;
    case 'departed':
      return { ...still, state: { ...state, startedAt: event.at } };
    case 'answer_lost':
      return state.phase === 'dialing' ? move({ phase: 'unknown' }) : still;
    case 'ringing':
      return isBefore(state.phase, 'ringing')
        ? move({ phase: 'ringing', callSid: event.legId }, [{ type: 'ringing', at: event.at }])
        : still;
    case 'answered':
      return isBefore(state.phase, 'up')
        ? move(
            { phase: 'up', answeredAt: event.at, callSid: event.legId },
            [{ type: 'answered', at: event.at }],
            ['started'],
          )
        : still;
    case 'machine_detected':
      return rules.voicemailDetection && !state.machineDetected
        ? move({ machineDetected: true }, [{ type: 'machine_detected', at: event.at }])
        : still;
    case 'told':
      return move({}, [event.happening]);
    case 'message_left':
      return state.voicemailMessageLeft ? still : move({ voicemailMessageLeft: true });
    case 'ended':
      return end(call, event, rules);
  }
}

function end(
  { state, rateCents }: Pick<Call, 'state' | 'rateCents'>,
  { legId, facts }: Extract<CallEvent, { type: 'ended' }>,
  rules: CallRules,
): Transition {
  const answeredAt = state.answeredAt ?? facts.answeredAt;
  const machineDetected = rules.voicemailDetection && (state.machineDetected || facts.machine);
  // A clock that was set back must not make an end before its beginning.
  const endedAt = answeredAt && answeredAt > facts.at ? answeredAt : facts.at;
  // Nor one of a dial that was to leave in a moment, and didn't.
  const startedAt = state.startedAt && state.startedAt < endedAt ? state.startedAt : endedAt;
  const duration = talkSeconds(answeredAt, endedAt);
  const verdict = judgeEnd(facts.cause, {
    answeredMs: answeredAt && endedAt.getTime() - answeredAt.getTime(),
    machineDetected,
    messageLeft: state.voicemailMessageLeft,
    maxDurationMs: rules.maxDurationMs,
  });
  const isNewsOfAnswer = answeredAt !== null && !state.answeredAt;
  const answer: Happening[] = isNewsOfAnswer ? [{ type: 'answered', at: answeredAt }] : [];
  return {
    changed: true,
    news: isNewsOfAnswer ? ['started', 'ended'] : ['ended'],
    happenings: [...answer, { type: 'ended', at: endedAt, detail: { cause: facts.cause } }],
    state: {
      ...state,
      phase: 'ended',
      callSid: legId ?? state.callSid,
      startedAt,
      answeredAt,
      endedAt,
      duration,
      cost: toCents(duration, rateCents),
      machineDetected,
      ...verdict,
    },
  };
}
