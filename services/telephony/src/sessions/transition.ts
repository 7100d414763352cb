import type { TimelineEvent } from '../calls/timeline/timeline-event.ts';
import type { Call, CallPhase, CallState } from './call.ts';
import { type EndFacts, judgeEnd } from './judge-end.ts';

/**
 *   queued -> dialing -> ringing -> up -> ended     `unknown` replaces `dialing` until the carrier reports
 *   selecting_assistant -> ringing -> up -> ended   inbound and web calls
 *
 * Any phase may end at once [calls.4]. Events are repeated and reordered, and a late one never moves a call back: an event
 * carries its instant, and `ended` carries everything that earlier events would have reported.
 */
export type CallEvent =
  /** The request has left for the carrier. Recorded with the next change. */
  | { type: 'departed'; at: Date }
  | { type: 'answer_lost' }
  | { type: 'ringing'; legId: string | null; at: Date }
  | { type: 'answered'; legId: string | null; at: Date }
  | { type: 'machine_detected'; legId: string | null; at: Date }
  | { type: 'message_left' }
  /** An entry of the timeline that changes nothing else. */
  | { type: 'timeline_entry'; entry: TimelineEvent }
  | { type: 'ended'; legId: string | null; facts: EndFacts };

/** An event to publish. */
type EventToPublish = 'started' | 'ended';

export type CallRules = {
  maxDurationMs: number;
  /** `settings.voicemail.detection` [assistants.10]. */
  voicemailDetection: boolean;
};

export type Transition = {
  state: CallState;
  events: EventToPublish[];
  timeline: TimelineEvent[];
  changed: boolean;
};

/** A call that selects its assistant rings already: only its selection moves it to `ringing`. */
const ORDER: Record<CallPhase, number> = {
  queued: 0,
  dialing: 1,
  unknown: 2,
  selecting_assistant: 3,
  ringing: 3,
  up: 4,
  ended: 5,
};

const isBefore = (phase: CallPhase, other: CallPhase): boolean => ORDER[phase] < ORDER[other];

/**
 * Pure, idempotent and independent of order: any permutation of the carrier's events ends in the same state. Our own event
 * `departed` comes before them.
 */
export function transition(
  call: Pick<Call, 'callType' | 'state' | 'rateCents'>,
  event: CallEvent,
  rules: CallRules,
): Transition {
  const { state } = call;
  const still: Transition = { state, events: [], timeline: [], changed: false };
  if (state.phase === 'ended') return still;
  const move = (
    change: Partial<CallState>,
    timeline: TimelineEvent[] = [],
    events: EventToPublish[] = [],
  ): Transition => ({ state: { ...state, ...change }, events, timeline, changed: true });

  switch (event.type) {
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
    case 'timeline_entry':
      return move({}, [event.entry]);
    case 'message_left':
      return state.voicemailMessageLeft ? still : move({ voicemailMessageLeft: true });
    case 'ended':
      return end(call, event, rules);
  }
}

function end(
  { callType, state, rateCents }: Pick<Call, 'callType' | 'state' | 'rateCents'>,
  { legId, facts }: Extract<CallEvent, { type: 'ended' }>,
  rules: CallRules,
): Transition {
  const answeredAt = state.answeredAt ?? facts.answeredAt;
  const machineDetected = rules.voicemailDetection && (state.machineDetected || facts.machine);
  // The clock may have been set back: a call never ends before its answer.
  const endedAt = answeredAt && answeredAt > facts.at ? answeredAt : facts.at;
  // Nor before its start, if the dial was about to leave.
  const startedAt = state.startedAt && state.startedAt < endedAt ? state.startedAt : endedAt;
  const duration = talkSeconds(answeredAt, endedAt);
  const verdict = judgeEnd(facts.cause, {
    callType,
    answeredMs: answeredAt && endedAt.getTime() - answeredAt.getTime(),
    machineDetected,
    messageLeft: state.voicemailMessageLeft,
    maxDurationMs: rules.maxDurationMs,
  });
  const isFirstAnswer = answeredAt !== null && !state.answeredAt;
  const answer: TimelineEvent[] = isFirstAnswer ? [{ type: 'answered', at: answeredAt }] : [];
  return {
    changed: true,
    events: isFirstAnswer ? ['started', 'ended'] : ['ended'],
    timeline: [...answer, { type: 'ended', at: endedAt, detail: endDetail(facts) }],
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

/** Includes the carrier's description of the end, if there is one. */
function endDetail({ cause, provider }: EndFacts) {
  return provider ? { cause, provider_code: provider.code, provider_text: provider.text } : { cause };
}

/** Whole seconds from answer to end, rounded up; 0 for a call that was never answered [general.5]. */
function talkSeconds(answeredAt: Date | null, endedAt: Date): number {
  return answeredAt ? Math.ceil(Math.max(0, endedAt.getTime() - answeredAt.getTime()) / 1000) : 0;
}

/** The cost in cents at a rate in cents per minute [general.5]. */
function toCents(duration: number, rateCents: number): number {
  return Math.ceil((duration * rateCents) / 60);
}
