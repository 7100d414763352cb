import type { OutboundClient } from '@parley/kit/outbound';
import type { Context } from './context.ts';
import type { Owner } from './domain/calls/ports.ts';
import type { Carrier } from './domain/carrier/port.ts';
import type { SnapshotArchive } from './domain/conversation/ports.ts';
import { askWebhook } from './domain/inbound/ask-webhook.ts';
import { type Decision, decideAnswer } from './domain/inbound/decide-answer.ts';
import type { TakeRingDeps } from './domain/inbound/take-ring.ts';
import type { SwitchboardDeps } from './domain/workers/switchboard.ts';
import { createInboundCalls } from './store/inbound-calls.ts';
import { createNumberStore } from './store/numbers.ts';

type Parts = { carrier: Carrier; outbound: OutboundClient; archive: SnapshotArchive; owner: Owner };

export type InboundDeps = Pick<SwitchboardDeps, 'decide'> & { takeRing: Omit<TakeRingDeps, 'receive'> };

/** What a worker takes calls that come in with, and finds out who answers them. */
export function createInboundDeps(
  context: Context,
  { carrier, outbound, archive, owner }: Parts,
): InboundDeps {
  const { prisma: sql, outbox, clock, log, settings, snapshots } = context;
  const numbers = createNumberStore(sql);
  const calls = createInboundCalls({ sql, clock });
  const decideDeps = {
    numbers,
    calls,
    snapshots,
    archive,
    owner,
    clock,
    askWebhook: (question: Parameters<typeof askWebhook>[1], signal: AbortSignal) =>
      askWebhook({ outbound, settings, clock, log }, question, signal),
  };
  return {
    decide: (call, life): Promise<Decision | undefined> => decideAnswer(decideDeps, call, life),
    takeRing: {
      carrier,
      numbers,
      calls,
      settings,
      transact: (work) => outbox.transaction(work),
      clock,
      log,
      workerId: owner.workerId,
    },
  };
}
