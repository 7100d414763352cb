import { setTimeout as sleep } from 'node:timers/promises';
import { type callDetail, createPhoneCall, getCall } from '@parley/contracts';
import type { z } from 'zod';
import { Problem } from '../terminal/problem.ts';
import type { Hint } from '../terminal/steps.ts';
import type { Api } from './api.ts';
import { expectedEvents } from './deliveries.ts';
import type { Receiver } from './receiver.ts';

export type Call = z.output<typeof callDetail>;

type Input = { fromNumber: string; toNumber: string; receiver: Receiver; stopping: AbortSignal };

const EVERY_MS = 250;
const WITHIN_MS = 90_000;

/** Places one call and waits until it is over and all of its events have arrived. spec: D6.1 */
export async function placeOneCall(
  api: Api,
  { fromNumber, toNumber, receiver, stopping }: Input,
  hint: Hint,
): Promise<Call> {
  const body = {
    from_number: fromNumber,
    to_number: toNumber,
    dynamic_variables: { contact_name: 'Sam', bicycle: 'folding bike', order_number: 70_000 },
    metadata: { demo: true },
  };
  const { id } = await api.send(createPhoneCall, { body });
  const until = performance.now() + WITHIN_MS;
  for (;;) {
    const call = await api.send(getCall, { params: { id } });
    const events = receiver.deliveries.ofCall(id);
    const isOver = call.status === 'completed';
    const arrived = events.length > 0 ? `, ${events.join(', ')} received` : '';
    hint(`${toNumber} ${call.status}${arrived}`);
    if (isOver && expectedEvents(call).every((event) => events.includes(event)))
      return finished(api, id, hint);
    if (performance.now() > until) {
      const missing = expectedEvents(call).filter((event) => !events.includes(event));
      throw new Problem(
        `The call ${id} is ${call.status} after ${WITHIN_MS / 1_000} s${isOver ? ` and these events are missing: ${missing.join(', ')}` : ''}. ` +
          'The logs in .stack/logs tell more.',
      );
    }
    await sleep(EVERY_MS, undefined, { signal: stopping });
  }
}

async function finished(api: Api, id: string, hint: Hint): Promise<Call> {
  const call = await api.send(getCall, { params: { id } });
  const count = expectedEvents(call).length;
  hint(
    `${call.to_number}: ${call.disconnection_reason}, talked for ${call.duration} s, ${count} webhooks received`,
  );
  return call;
}
