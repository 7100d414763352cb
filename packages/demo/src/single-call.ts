import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@parley/client';
import type { callDetail } from '@parley/contracts';
import type { Hint } from '@parley/devstack';
import { Problem } from '@parley/devstack';
import type { z } from 'zod';
import { expectedEvents } from './deliveries.ts';
import type { Receiver } from './receiver.ts';

export type Call = z.output<typeof callDetail>;

type Input = { fromNumber: string; toNumber: string; receiver: Receiver; stopping: AbortSignal };

const EVERY_MS = 250;
const WITHIN_MS = 90_000;

/** Places one call and waits until it has ended and all of its events have arrived. */
export async function placeOneCall(
  client: Client,
  { fromNumber, toNumber, receiver, stopping }: Input,
  hint: Hint,
): Promise<Call> {
  const body = {
    from_number: fromNumber,
    to_number: toNumber,
    dynamic_variables: { contact_name: 'Sam', bicycle: 'folding bike', order_number: 70_000 },
    metadata: { demo: true },
  };
  const { id } = await client.calls.create(body, { signal: stopping });
  const until = performance.now() + WITHIN_MS;
  for (;;) {
    const call = await client.calls.get(id, { signal: stopping });
    const events = receiver.deliveries.ofCall(id);
    const isOver = call.status === 'completed';
    const arrived = events.length > 0 ? `, ${events.join(', ')} received` : '';
    hint(`${toNumber} ${call.status}${arrived}`);
    if (isOver && expectedEvents(call).every((event) => events.includes(event)))
      return describe(await client.calls.get(id, { signal: stopping }), hint);
    if (performance.now() > until) {
      const missing = expectedEvents(call).filter((event) => !events.includes(event));
      throw new Problem(
        `The call ${id} is ${call.status} after ${WITHIN_MS / 1_000} s${isOver ? ` and these events are missing: ${missing.join(', ')}` : ''}. ` +
          'See the logs in .stack/logs.',
      );
    }
    await sleep(EVERY_MS, undefined, { signal: stopping });
  }
}

function describe(call: Call, hint: Hint): Call {
  const count = expectedEvents(call).length;
  hint(
    `${call.to_number}: ${call.disconnection_reason}, talked for ${call.duration} s, ${count} webhooks received`,
  );
  return call;
}
