import { type CallParts, progressOf } from './call-parts.ts';
import { ringUntilTimeout, settleDial } from './reach-carrier.ts';

/**
 * Goes on with a call that another worker began, or that came in and has its assistant by now. `talk`: goes on with what
 * is said in a call that is up.
 */
export async function resumeLeg(parts: CallParts, talk: () => void): Promise<void> {
  const { deps, log, command, hangUp, postEnd } = parts;
  const found = await attachLeg(parts);
  if (found === undefined) return;
  const { id: reference, callType, state } = parts.call();
  const { phase } = state;
  log.info({ phase, found }, 'call taken over');
  const isUnknown = phase === 'dialing' || phase === 'unknown';
  const isOutbound = callType === 'outbound';
  if (!found && !isOutbound) void postEnd('failed');
  else if (!found && !isUnknown) void postEnd('lost');
  else if (!found) settleDial(parts);
  // Nobody picks up, or goes on talking, where a client wants an end.
  else if (parts.isStopping()) hangUp('stopped');
  else if (phase !== 'up' && !isOutbound) await command('answer', () => deps.carrier.answer(reference));
  else if (phase !== 'up') ringUntilTimeout(parts, true);
  else talk();
}

/** Hears what becomes of a call that came in, while somebody is looked for who answers it. */
export async function listenToRing(parts: CallParts): Promise<void> {
  if ((await attachLeg(parts)) === false) void parts.postEnd('failed');
}

function attachLeg({ deps, record, life, call }: CallParts): Promise<boolean | undefined> {
  return life.insist('attach', () => deps.carrier.attach(call().id, progressOf(record)));
}
