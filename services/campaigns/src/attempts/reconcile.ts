import { forEachLimited } from '@parley/kit/concurrency';
import { isConnectivityError } from '@parley/kit/errors';
import type { Log } from '@parley/kit/log';
import { toIsoMillis } from '@parley/kit/time';
import type { DialState, Telephony } from '../clients/telephony.ts';
import type { AttemptUpdate } from './advance-attempt.ts';
import { type ApplyDeps, applyUpdate } from './apply-update.ts';

export type ReconcileDeps = ApplyDeps & { telephony: Pick<Telephony, 'dialStates'>; log: Log };

const BATCH = 500;
const CONCURRENCY = 4;
/** By the stack's clock; with a fast clock at least the real time that messages take. */
const SILENCE_MS = 60_000;
const MIN_REAL_SILENCE_MS = 5_000;

/**
 * Reads the state of attempts without recent updates from telephony and applies it like the lost messages, so that no outcome
 * depends on the arrival of a message. Returns whether there may be more.
 */
export async function reconcile(deps: ReconcileDeps): Promise<boolean> {
  const { attempts, telephony, clock, log } = deps;
  const silenceMs = Math.max(SILENCE_MS, MIN_REAL_SILENCE_MS * clock.rate);
  const silent = await attempts.silentSince(new Date(clock.now().getTime() - silenceMs), BATCH);
  if (silent.length === 0) return false;
  const states = await telephony.dialStates(silent);
  const unpublished = await attempts.unpublished(
    states.flatMap(({ callId, state }) => (state === 'unknown' ? [callId] : [])),
  );
  const later = states.flatMap(({ callId, state }) =>
    state === 'waiting' || state === 'live' ? [callId] : [],
  );
  await forEachLimited(states, CONCURRENCY, async (state) => {
    try {
      await applyState(deps, state, unpublished);
    } catch (err) {
      if (isConnectivityError(err)) throw err;
      // It is retried after all others, so that it can't block them.
      log.error({ err, callId: state.callId }, 'attempt could not be reconciled');
      later.push(state.callId);
    }
  });
  await attempts.touch(later, clock.now());
  return silent.length === BATCH;
}

async function applyState(
  deps: ReconcileDeps,
  state: DialState,
  unpublished: ReadonlySet<string>,
): Promise<void> {
  const { callId } = state;
  const update =
    state.state === 'unknown'
      ? await updateOfUnknown(deps, callId, unpublished.has(callId))
      : updateOf(state);
  if (update) await applyUpdate(deps, callId, update);
  // A refusal changes nothing once the attempt was answered. That should not happen, but no attempt may stay open forever.
  if (update?.kind === 'refused') await applyUpdate(deps, callId, lost(deps.clock.now()));
}

function updateOf(state: DialState): AttemptUpdate | undefined {
  if (state.state === 'live') return { kind: state.answered ? 'started' : 'dialing' };
  if (state.state === 'refused') return { kind: 'refused', reason: state.reason };
  if (state.state === 'ended') return { kind: 'ended', ended: state.ended };
  return undefined;
}

async function updateOfUnknown(
  { attempts, clock }: ReconcileDeps,
  callId: string,
  isUnpublished: boolean,
): Promise<AttemptUpdate | undefined> {
  const now = clock.now();
  const found = await attempts.requestAgain(callId, isUnpublished, now);
  if (found === 'unwanted') return { kind: 'refused', reason: 'withdrawn' };
  return found === 'lost' ? lost(now) : undefined;
}

/** It was dialed and telephony has no record of it anymore: no message will report its end. */
function lost(now: Date): AttemptUpdate {
  const ended = {
    disconnection_reason: 'error' as const,
    answered_at: null,
    ended_at: toIsoMillis(now),
    retryable: false,
    voicemail_message_left: false,
  };
  return { kind: 'ended', ended };
}
