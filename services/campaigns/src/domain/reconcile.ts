import { isConnectivityError } from '@parley/kit/errors';
import type { Log } from '@parley/kit/log';
import { type Clock, toIsoMillis } from '@parley/kit/time';
import type { News } from './advance-attempt.ts';
import { forEach } from './for-each.ts';
import type { DialState, Telephony } from './ports.ts';
import { type SettleDeps, settle } from './settle.ts';

export type ReconcileDeps = SettleDeps & { telephony: Pick<Telephony, 'dialStates'>; log: Log };

const BATCH = 500;
/** Of the stack; and at a fast clock at least so long in the world, which is what messages take. */
const SILENCE_MS = 60_000;
const REAL_SILENCE_MS = 5_000;

/**
 * Asks telephony about attempts that nothing was heard of for a while, and does what the messages that were lost would
 * have done. With it nothing depends on any message arriving.
 */
export async function reconcile(deps: ReconcileDeps): Promise<boolean> {
  const { attempts, telephony, clock, log } = deps;
  const silent = await attempts.withoutNews(silentSince(clock), BATCH);
  if (silent.length === 0) return false;
  const states = await telephony.dialStates(silent.map(({ id }) => id));
  const later = states.flatMap(({ callId, state }) =>
    state === 'waiting' || state === 'live' ? [callId] : [],
  );
  await forEach(states, async (state) => {
    try {
      await takeIn(deps, state);
    } catch (err) {
      if (isConnectivityError(err)) throw err;
      // It has its turn again behind all others: it must not be in their way.
      log.error({ err, callId: state.callId }, 'attempt could not be settled');
      later.push(state.callId);
    }
  });
  await attempts.touch(later, clock.now());
  return silent.length === BATCH;
}

function silentSince(clock: Clock): Date {
  return new Date(clock.now().getTime() - Math.max(SILENCE_MS, REAL_SILENCE_MS * clock.rate));
}

async function takeIn(deps: ReconcileDeps, state: DialState): Promise<void> {
  const { callId } = state;
  const news = newsOf(state) ?? (state.state === 'unknown' ? await newsOfUnknown(deps, callId) : undefined);
  if (news) await settle(deps, { callId, news });
  // Refused after it had been dialled: that can't be, but nothing may stay open for ever. Closed already: no change.
  if (news?.kind === 'refused') await settle(deps, { callId, news: lost(deps.clock.now()) });
}

function newsOf(state: DialState): News | undefined {
  if (state.state === 'live') return { kind: state.answered ? 'started' : 'dialing' };
  if (state.state === 'refused') return { kind: 'refused', reason: state.reason };
  if (state.state === 'ended') return { kind: 'ended', ended: state.ended };
  return undefined;
}

async function newsOfUnknown({ attempts, clock }: ReconcileDeps, callId: string): Promise<News | undefined> {
  const now = clock.now();
  const found = await attempts.askAgain(callId, now);
  if (found === 'unwanted') return { kind: 'refused', reason: 'withdrawn' };
  return found === 'lost' ? lost(now) : undefined;
}

/** It was dialled, and telephony has no trace of it any more: nobody will ever tell its end. */
function lost(now: Date): News {
  const disconnection_reason = 'error' as const;
  const ended = {
    disconnection_reason,
    answered_at: null,
    ended_at: toIsoMillis(now),
    retryable: false,
    voicemail_message_left: false,
  };
  return { kind: 'ended', ended };
}
