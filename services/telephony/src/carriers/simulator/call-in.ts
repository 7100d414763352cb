import type { BodyOf, callIn as contract, ResponseOf } from '@parley/contracts';
import { notFound, validationFailed } from '@parley/kit/errors';
import type { Idempotency } from '@parley/kit/idempotency';
import { newId } from '@parley/kit/ids';
import { type Clock, realSleep } from '@parley/kit/time';
import type { NumberStore } from '../../domain/numbers/ports.ts';
import type { Transact } from '../../domain/ports.ts';
import type { CallerStore } from './caller-store.ts';

export type CallInDeps = {
  transact: Transact;
  clock: Clock;
  numbers: Pick<NumberStore, 'findByNumber'>;
  callers: Pick<CallerStore, 'insert'>;
  /** Whether the carrier brings an imported number's calls here (D5.3). */
  isPointedHere: (phoneNumber: string) => Promise<boolean>;
  isKnownCall: (callId: string) => Promise<boolean>;
  wakeArrivals: () => void;
};

type Input = { workspaceId: string; idempotency: Idempotency; body: BodyOf<typeof contract> };

/** Stack time that a caller waits for an answer, and never less of real time than an inbound webhook may take (D6.11). */
const PATIENCE_MS = 60_000;
const LEAST_PATIENCE_REAL_MS = 20_000;
/** How long the answer waits until a worker has taken the call, looking this often. Real time. */
const TAKEN_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 25;

/**
 * Somebody calls a number of the workspace at the simulated carrier (D10). The carrier's part ends here: a worker hears of
 * the call as it would from any carrier. Answers when one has taken it, so that it can be read, or after two seconds.
 */
export async function callIn(
  deps: CallInDeps,
  { workspaceId, idempotency, body }: Input,
): Promise<ResponseOf<typeof contract>> {
  const { from_number: from, to_number: to, script = null } = body;
  const number = await deps.numbers.findByNumber(workspaceId, to);
  if (!number) throw notFound('Phone number');
  if (number.provider === 'telco' && !(await deps.isPointedHere(to))) throw notPointed();
  const at = deps.clock.now();
  const patienceMs = Math.max(PATIENCE_MS, LEAST_PATIENCE_REAL_MS * deps.clock.rate);
  const reference = newId();
  const caller = { legId: newId(), reference, workspaceId, from, to, script, at };
  const answer = await deps.transact(async (tx) => {
    await deps.callers.insert(tx, { ...caller, givesUpAt: new Date(at.getTime() + patienceMs) });
    return idempotency.answer(tx, { call_id: reference });
  });
  deps.wakeArrivals();
  for (let waitedMs = 0; waitedMs < TAKEN_WITHIN_MS; waitedMs += LOOK_EVERY_MS) {
    if (await deps.isKnownCall(reference)) break;
    await realSleep(LOOK_EVERY_MS);
  }
  return answer;
}

function notPointed() {
  const message = 'to_number must be pointed at the service first: POST /v1/phone-number/{id}/telco-webhook';
  return validationFailed([{ path: 'to_number', code: 'not_allowed', message }]);
}
