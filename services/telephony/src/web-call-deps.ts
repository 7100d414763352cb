import { createLoop } from '@parley/kit/jobs';
import { createWebCarrier, type WebCarrier } from './carriers/web/web-carrier.ts';
import type { Context } from './context.ts';
import type { Carrier } from './domain/carrier/port.ts';
import { endUnjoined } from './domain/web-calls/end-unjoined.ts';
import type { Switchboard } from './domain/workers/switchboard.ts';
import { createWebCalls } from './store/web-calls.ts';
import { createWebLines } from './store/web-lines.ts';

/** Real time: how late is heard what reached another process. */
const LOOK_EVERY_MS = 200;
const TAKE_EVERY_MS = 250;
const UNJOINED_EVERY_MS = 250;
const MOST_TAKEN = 20;

export function createWebLine({ prisma, clock }: Context, { sendSms }: Carrier): WebCarrier {
  return createWebCarrier({ lines: createWebLines(prisma), clock, sendSms });
}

type Parts = { web: WebCarrier; switchboard: Switchboard; workerId: string };

/** Takes web calls that were joined, hears what is said in them, and ends those that nobody joins. */
export function startWebCalls(context: Context, { web, switchboard, workerId }: Parts): void {
  const { prisma, outbox, clock, log, lifecycle, webSignal } = context;
  const webCalls = createWebCalls(prisma);
  const loop = (name: string, everyMs: number, run: () => Promise<boolean>) =>
    createLoop({ name, everyMs, run, log, lifecycle });
  const lines = loop('web lines', LOOK_EVERY_MS, web.look);
  const joins = loop('joined web calls', TAKE_EVERY_MS, async () => {
    const calls = await webCalls.takeJoined(workerId, clock.now(), MOST_TAKEN);
    for (const call of calls) switchboard.receive(call);
    return calls.length === MOST_TAKEN;
  });
  loop('web calls that nobody joins', UNJOINED_EVERY_MS, () =>
    endUnjoined({ transact: (work) => outbox.transaction(work), webCalls, clock }),
  );
  lifecycle.onStop('web signal', webSignal.listen(lines.wake));
  lifecycle.onStop('web joins', webSignal.listen(joins.wake));
}
