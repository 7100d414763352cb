import { createReencryption, type Reencryption } from '@parley/kit/secrets';
import { type CallReadDeps, createCallReadDeps } from './call-read-deps.ts';
import { createSimulatedNumbers } from './carriers/simulator/simulated-numbers.ts';
import type { Context } from './context.ts';
import type { DoNotCallDeps } from './domain/do-not-call/ports.ts';
import type { DeleteNumberDeps } from './domain/numbers/delete-phone-number.ts';
import type { NumberDeps } from './domain/numbers/deps.ts';
import type { PlaceCallDeps } from './domain/placing/place-call.ts';
import type { StopCallDeps } from './domain/stopping/stop-call.ts';
import type { AttendDeps } from './domain/web-calls/attend-web-call.ts';
import type { StartWebCallDeps } from './domain/web-calls/start-web-call.ts';
import type { InternalDeps } from './routes/internal.ts';
import { createAgentCopies } from './store/agent-copies.ts';
import { createStoppableCalls } from './store/call-stops.ts';
import { createDialConditions } from './store/dial-conditions.ts';
import { createDialQueue } from './store/dial-queue.ts';
import { createDialRecords } from './store/dial-records.ts';
import { createDoNotCallList } from './store/do-not-call.ts';
import { createNumberWalk } from './store/number-walk.ts';
import { createNumberStore } from './store/numbers.ts';
import { createQueuedCalls } from './store/queued-calls.ts';
import { SEALED_COLUMNS } from './store/sealed-columns.ts';
import { createTrunkRemovals } from './store/trunk-removals.ts';
import { createWebCalls } from './store/web-calls.ts';
import { createWebLines } from './store/web-lines.ts';

/** What the use cases behind the routes work with. */
export type HttpDeps = NumberDeps &
  DeleteNumberDeps &
  DoNotCallDeps &
  PlaceCallDeps &
  CallReadDeps &
  StopCallDeps &
  StartWebCallDeps &
  AttendDeps &
  InternalDeps & { reencryption: Reencryption };

export function createHttpDeps(context: Context): HttpDeps {
  const { config, clock, prisma, outbox, secrets, briefs, campaigns, settings } = context;
  return {
    clock,
    secrets,
    briefs,
    settings,
    transact: (work) => outbox.transaction(work),
    numbers: createNumberStore(prisma),
    numberWalk: createNumberWalk(prisma),
    copies: createAgentCopies(prisma),
    queuedCalls: createQueuedCalls(),
    ...createCallReadDeps(context),
    reencryption: createReencryption({ sql: prisma, box: secrets, columns: SEALED_COLUMNS }),
    dials: createDialQueue(prisma),
    dialRecords: createDialRecords(prisma),
    dialConditions: createDialConditions(prisma),
    carrierNumbers: createSimulatedNumbers({ sql: prisma, clock }),
    campaigns,
    doNotCall: createDoNotCallList(prisma),
    trunkRemovals: createTrunkRemovals(prisma),
    allowCidrs: config.OUTBOUND_ALLOW_CIDRS,
    stops: createStoppableCalls(),
    wakeDialer: context.dialSignal.wake,
    wakeStops: context.stopSignal.wake,
    webCalls: createWebCalls(prisma),
    webLines: createWebLines(prisma),
    accessTokens: context.accessTokens,
    webCallUrl: `${config.PUBLIC_URL}/widget/session`,
    wakeWebCalls: context.webSignal.wake,
  };
}
