import type { PreparedAssistant } from '../assistants/prepare-prompt.ts';
import type { CallSession, SessionDeps } from './call-session.ts';
import type { Ending } from './ending.ts';
import type { EventQueue } from './event-queue.ts';
import type { OutboundLeg } from './outbound-leg.ts';
import type { Party } from './party.ts';
import type { Entry } from './ports.ts';
import { inTraceOf } from './trace-of-call.ts';

export const NO_ASSISTANT = 'the assistant of the call does not exist';

/**
 * How a call begins in this worker: once, by `dial`, `answer` or `resume`, or with its end, by `endWithError`. `endWithError` may also
 * follow the others, when the call turns out to be unable to continue.
 */
export type CallStart = Pick<CallSession, 'dial' | 'answer' | 'resume' | 'endWithError'> & {
  /** Resolves when the party's leg exists here, or is known not to: before, there is nothing to hang up or to release. */
  started(): Promise<unknown>;
};

type Options = {
  queue: EventQueue;
  ending: Ending;
  party: Party;
  outbound: OutboundLeg;
  record: readonly Entry[];
  onAssistant: (assistant: PreparedAssistant) => void;
};

export function createCallStart(deps: SessionDeps, options: Options): CallStart {
  const { carrier } = deps;
  const { queue, ending, outbound, record } = options;
  const { leg, talk } = options.party;
  const { life, log, call, postEnd, command } = queue;
  const { hangUp, isHangingUp } = ending;
  let starting: Promise<unknown> = Promise.resolve();

  const attach = (): Promise<boolean | undefined> => life.retryUntilDone('attach', () => leg.attach(record));
  const answerLeg = (): Promise<boolean> => command('answer', leg.answer);

  const endWithError: CallSession['endWithError'] = (why) => {
    log.warn({ why }, 'the call cannot continue');
    const end = (): void => hangUp('failed');
    if (call().state.phase !== 'dialing') return end();
    // The dial of a dead worker may not have become a call: the carrier decides [campaigns.11], and `started` waits for it.
    starting = attach().then((isFound) => (isFound === false ? outbound.resolve(end) : end()));
  };

  const selectAssistant = async (): Promise<void> => {
    const decision = await deps.decide(call(), life);
    await starting;
    if (!decision || life.signal.aborted) return;
    if (decision.type === 'reject') {
      if (decision.cause === 'texts_too_long') hangUp(decision.cause);
      // A web caller is already connected and cannot be rejected: the call fails. An inbound call is rejected.
      else if (call().callType === 'web') endWithError(NO_ASSISTANT);
      else hangUp(decision.cause, leg.reject);
      return;
    }
    const { assistant } = decision;
    options.onAssistant(assistant);
    queue.select(decision.selected);
    ending.applyStop();
    const isSpoken = carrier.isSpoken?.(call().id) ?? carrier.capabilities.media === 'audio';
    // Synthesize the greeting while the caller is being connected.
    if (isSpoken && !deps.live?.serves(assistant.config.model.provider))
      deps.speakAhead?.(assistant, call(), life.signal);
    if (!isHangingUp()) await answerLeg();
  };

  const resume = async (): Promise<void> => {
    const isFound = await attach();
    if (isFound === undefined) return;
    const { phase } = call().state;
    log.info({ phase, found: isFound }, 'call taken over');
    const isOutbound = call().callType === 'outbound';
    const isOutcomeOpen = phase === 'dialing' || phase === 'unknown';
    if (!isFound && !isOutbound) void postEnd('failed');
    else if (!isFound && !isOutcomeOpen) void postEnd('lost');
    else if (!isFound) outbound.resolve();
    else if (carrier.capabilities.takeover === 'none')
      endWithError('its carrier cannot continue it in another worker');
    else if (ending.applyStop()) return;
    else if (phase !== 'up' && !isOutbound) await answerLeg();
    else if (phase !== 'up') outbound.ringUntilTimeout(true);
    else talk();
  };

  return {
    started: () => starting,
    endWithError,
    dial: (departure) => {
      starting = inTraceOf(call(), 'dial', () => outbound.originate(departure), 'client');
    },
    answer: () => {
      starting = attach().then((isFound) => {
        if (isFound === false) void postEnd('failed');
      });
      selectAssistant().catch((err: unknown) => {
        log.error({ err }, 'the call cannot continue');
        hangUp('failed');
      });
    },
    resume: () => {
      starting = resume();
    },
  };
}
