import type { BodyOf, callIn as contract, ResponseOf } from '@parley/contracts';
import { notFound, validationFailed } from '@parley/kit/errors';
import type { Idempotency } from '@parley/kit/idempotency';
import { newId } from '@parley/kit/ids';
import { type Clock, realSleep } from '@parley/kit/time';
import type { Transact } from '../../clients/ports.ts';
import type { NumberStore } from '../../numbers/numbers.store.ts';
import type { CallerStore } from './caller-store.ts';

export type CallInDeps = {
  transact: Transact;
  clock: Clock;
  numbers: Pick<NumberStore, 'findByNumber'>;
  callers: Pick<CallerStore, 'insert'>;
  /** Whether the carrier sends an imported number's calls to us [numbers.9]. */
  isPointedHere: (workspaceId: string, phoneNumber: string) => Promise<boolean>;
  isKnownCall: (callId: string) => Promise<boolean>;
};

type Input = { workspaceId: string; idempotency: Idempotency; body: BodyOf<typeof contract> };

/** Platform time that a caller waits for an answer, but in real time at least as long as an inbound webhook may take [calls.15]. */
const MAX_WAIT_MS = 60_000;
const MIN_WAIT_REAL_MS = 20_000;
/** How long the response waits for a worker to take the call, and how often it checks. Real time. */
const TAKEN_TIMEOUT_MS = 2_000;
const POLL_INTERVAL_MS = 25;

/**
 * Simulates a call to a number of the workspace [running.4]. Workers receive it as from any carrier. Responds when one has
 * taken the call, so that it can be read, or after two seconds.
 */
export async function callIn(
  deps: CallInDeps,
  { workspaceId, idempotency, body }: Input,
): Promise<ResponseOf<typeof contract>> {
  const { from_number: from, to_number: to, script = null } = body;
  const number = await deps.numbers.findByNumber(workspaceId, to);
  if (!number) throw notFound('Phone number');
  if (number.provider === 'telco' && !(await deps.isPointedHere(workspaceId, to))) throw notPointed();
  const at = deps.clock.now();
  const waitMs = Math.max(MAX_WAIT_MS, MIN_WAIT_REAL_MS * deps.clock.rate);
  const reference = newId();
  const caller = { legId: newId(), reference, workspaceId, from, to, script, at };
  const answer = await deps.transact(async (tx) => {
    await deps.callers.insert(tx, { ...caller, givesUpAt: new Date(at.getTime() + waitMs) });
    return idempotency.answer(tx, { call_id: reference });
  });
  for (let waitedMs = 0; waitedMs < TAKEN_TIMEOUT_MS; waitedMs += POLL_INTERVAL_MS) {
    if (await deps.isKnownCall(reference)) break;
    await realSleep(POLL_INTERVAL_MS);
  }
  return answer;
}

function notPointed() {
  const message = 'to_number must be pointed at the service first: POST /v1/phone-number/{id}/telco-webhook';
  return validationFailed([{ path: 'to_number', code: 'not_allowed', message }]);
}
