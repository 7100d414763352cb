import { simulatedAccounts } from './carriers/simulator/accounts.ts';
import type { Context } from './context.ts';
import type { GetCallDeps } from './domain/call-history/get-call.ts';
import type { NumberDeps } from './domain/numbers/deps.ts';
import type { PlaceCallDeps } from './domain/placing/place-call.ts';
import type { Timelines } from './domain/timeline/ports.ts';
import type { InternalDeps } from './routes/internal.ts';
import { createAgentCopies } from './store/agent-copies.ts';
import { createCallHistory } from './store/call-history.ts';
import { createDialQueue } from './store/dial-queue.ts';
import { createDialRecords } from './store/dial-records.ts';
import { createNumberStore } from './store/numbers.ts';
import { createQueuedCalls } from './store/queued-calls.ts';
import { createTimelines } from './store/timelines.ts';

/** What the use cases behind the routes work with. */
export type HttpDeps = NumberDeps & PlaceCallDeps & GetCallDeps & InternalDeps & { timelines: Timelines };

export function createHttpDeps(context: Context): HttpDeps {
  const { config, clock, prisma, outbox, secrets, briefs, settings, dialSignal, recordingLinks } = context;
  return {
    clock,
    secrets,
    briefs,
    settings,
    transact: (work) => outbox.transaction(work),
    numbers: createNumberStore(prisma),
    copies: createAgentCopies(prisma),
    queuedCalls: createQueuedCalls(),
    history: createCallHistory(prisma),
    timelines: createTimelines(prisma),
    dials: createDialQueue(prisma),
    dialRecords: createDialRecords(prisma),
    accounts: simulatedAccounts,
    allowCidrs: config.OUTBOUND_ALLOW_CIDRS,
    recordingLinks,
    wakeDialer: dialSignal.wake,
  };
}
