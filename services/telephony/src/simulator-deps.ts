import type { CallInDeps } from './carriers/simulator/call-in.ts';
import { createCallerStore } from './carriers/simulator/caller-store.ts';
import { isPointedHere } from './carriers/simulator/route-store.ts';
import type { Context } from './context.ts';
import { createInboundCalls } from './store/inbound-calls.ts';
import { createNumberStore } from './store/numbers.ts';

/** What the far end of the simulated carrier works with. */
export function createSimulatorDeps({ prisma, clock, outbox, arrivalSignal }: Context): CallInDeps {
  return {
    transact: (work) => outbox.transaction(work),
    clock,
    numbers: createNumberStore(prisma),
    callers: createCallerStore(prisma),
    isPointedHere: (phoneNumber) => isPointedHere(prisma, phoneNumber),
    isKnownCall: createInboundCalls({ sql: prisma, clock }).isKnown,
    wakeArrivals: arrivalSignal.wake,
  };
}
