import { createOutboundClient } from '@parley/kit/outbound';
import { createSimulator } from './carriers/simulator/simulator.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import type { Carrier } from './domain/carrier/port.ts';
import type { ConversationEngine } from './domain/conversation/engine-port.ts';
import type { SnapshotArchive } from './domain/conversation/ports.ts';
import type { CircuitRules } from './domain/dialing/circuit.ts';
import { createDepartures } from './domain/dialing/departures.ts';
import type { DialDeps } from './domain/dialing/dial-due.ts';
import { recentSnapshots } from './domain/dialing/recent-snapshots.ts';
import { createUnreachable } from './domain/dialing/unreachable.ts';
import { takeRing } from './domain/inbound/take-ring.ts';
import type { HeedStopsDeps } from './domain/stopping/heed-stops.ts';
import { createToolRunner } from './domain/tools/run-tool.ts';
import { createLease, type Lease } from './domain/workers/lease.ts';
import { createSwitchboard, type Switchboard } from './domain/workers/switchboard.ts';
import type { TakeOverDeps } from './domain/workers/take-over.ts';
import { createFindEngine } from './engines/find-engine.ts';
import { createInboundDeps } from './inbound-deps.ts';
import { createAgentCopies } from './store/agent-copies.ts';
import { readRecords } from './store/call-records.ts';
import { findStopped } from './store/call-stops.ts';
import { createCallWrites } from './store/call-writes.ts';
import { createDialStore } from './store/dial-store.ts';
import { createHeartbeat } from './store/heartbeat.ts';
import { createObstacles } from './store/obstacles.ts';
import { createTakeSlot } from './store/slots.ts';
import { createSnapshotArchive } from './store/snapshot-archive.ts';
import { createToolsUnderWay, readBegunTools } from './store/tools-under-way.ts';
import { createTurnWriter } from './store/turn-writer.ts';
import { createWorkers } from './store/workers.ts';
import { createWebLine, startWebCalls } from './web-call-deps.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

/** The ports of the live part that tests put something else behind. */
export type WorkerOverrides = { carrier?: Carrier; engine?: ConversationEngine };

export type WorkerDeps = {
  lease: Lease;
  archive: SnapshotArchive;
  switchboard: Switchboard;
  dial: DialDeps;
  takeOver: TakeOverDeps;
  /** From now on calls that come in are taken, until the process stops. */
  receiveCalls: () => void;
  stops: HeedStopsDeps;
};

/** As an operator set them, in seconds of the stack. */
const circuitRules = (config: Config): CircuitRules => ({
  failures: config.CIRCUIT_FAILURES,
  firstPauseMs: config.CIRCUIT_PAUSE_SECONDS * 1_000,
  longestPauseMs: config.CIRCUIT_LONGEST_PAUSE_SECONDS * 1_000,
});

/** What the jobs of a worker work with. */
export function createWorkerDeps(
  context: Context,
  overrides: WorkerOverrides,
  { measures, onEnded }: { measures: WorkerMetrics; onEnded: () => void },
): WorkerDeps {
  const { prisma: sql, outbox, clock, log, secrets, settings, snapshots } = context;
  const { config, lifecycle, knowledge, openai } = context;
  const { engine } = overrides;
  const carrier = overrides.carrier ?? createSimulator({ sql, clock, log, arrivals: context.arrivalSignal });
  const web = createWebLine(context, carrier);
  const outbound = createOutboundClient({ allowCidrs: config.OUTBOUND_ALLOW_CIDRS, log });
  lifecycle.onStop('connections to tools', () => outbound.close());
  const archive = createSnapshotArchive({ sql, secrets, clock });
  const workers = createWorkers(sql);
  const heartbeat = createHeartbeat({ databaseUrl: config.DATABASE_URL, log, lifecycle });
  const lease = createLease({ heartbeat, log });
  const { workerId } = lease;
  const findEngine = createFindEngine({
    openai,
    timeoutMs: config.OPENAI_TIMEOUT_SECONDS * 1_000,
    defaultModel: config.OPENAI_MODEL,
    log,
  });
  const departures = createDepartures(clock, createTakeSlot(sql, workerId), measures.left);
  const toolDeps = { outbound, knowledge, settings, clock, log };
  const { decide, takeRing: ringDeps } = createInboundDeps(context, {
    carrier,
    outbound,
    archive,
    owner: lease,
  });
  const switchboard = createSwitchboard({
    decide,
    web: { carrier: web, runTool: createToolRunner({ ...toolDeps, carrier: web }) },
    carrier,
    departureOf: departures.of,
    clock,
    log,
    owner: lease,
    writes: createCallWrites({
      sql,
      outbox,
      clock,
      log,
      circuitRules: circuitRules(config),
      onEnded: measures.ended,
    }),
    obstacleTo: createObstacles(sql, clock),
    turns: createTurnWriter({ sql, log, workerId }),
    toolsUnderWay: createToolsUnderWay(sql),
    findEngine: engine ? () => engine : findEngine,
    runTool: createToolRunner({ ...toolDeps, carrier }),
    onEnded,
  });
  return {
    lease,
    archive,
    switchboard,
    dial: {
      store: createDialStore(sql),
      transact: (work) => outbox.transaction(work),
      clock,
      log,
      snapshots: recentSnapshots(snapshots),
      heardOf: createAgentCopies(sql).heardOf,
      archive,
      settings,
      unreachable: createUnreachable(),
      departures,
      workerId,
    },
    takeOver: {
      workers,
      archive,
      readRecords: (ids) => readRecords(sql, ids),
      readBegunTools: (ids) => readBegunTools(sql, ids),
      switchboard,
      workerId,
      log,
    },
    receiveCalls: () => {
      const receive = { ...ringDeps, receive: switchboard.receive };
      carrier.receive((ring) => takeRing(receive, ring), lifecycle);
      startWebCalls(context, { web, switchboard, workerId });
    },
    stops: { findStopped: (id) => findStopped(sql, id), switchboard, workerId },
  };
}
