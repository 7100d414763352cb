import { internalUrlsOf } from '@parley/kit/config';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { createOutboundClient } from '@parley/kit/outbound';
import type { SnapshotArchive } from './assistants/snapshot-ports.ts';
import type { Carriers } from './carriers/registry.ts';
import type { Context } from './context.ts';
import { createUndoDial } from './dialer/undo-dials.store.ts';
import type { ConversationEngine } from './engines/engine.ts';
import { type DecideDeps, decideAnswer } from './inbound/decide-answer.ts';
import { createInboundCalls } from './inbound/inbound-calls.store.ts';
import { sendInboundWebhook } from './inbound/send-inbound-webhook.ts';
import { createNumberStore } from './numbers/numbers.store.ts';
import { openConnection } from './numbers/open-connection.ts';
import { type CallSessions, type CallSessionsDeps, createCallSessions } from './sessions/call-sessions.ts';
import { createCallWrites } from './sessions/call-writes.store.ts';
import type { Lease } from './sessions/lease.ts';
import { createLiveModels } from './sessions/live-models.ts';
import { createModelStates } from './sessions/model-state.store.ts';
import { createArgumentCheck } from './sessions/tools/check-arguments.ts';
import { createToolRunner } from './sessions/tools/run-tool.ts';
import { createToolsUnderWay } from './sessions/tools/tools-under-way.store.ts';
import { createTurnWriter } from './sessions/turn-writer.store.ts';
import { createWithoutErased } from './sessions/without-erased.ts';
import type { WorkerAudio } from './worker-audio.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

type Worker = {
  lease: Lease;
  carriers: Carriers;
  audio: WorkerAudio;
  archive: SnapshotArchive;
  measures: WorkerMetrics;
  /** Replaces the engines of the configuration. */
  engine: ConversationEngine | undefined;
  lifecycle: Lifecycle;
} & Pick<CallSessionsDeps, 'recordLive' | 'onEnded'>;

/** The sessions of this worker, with everything that a live call uses. */
export function openSessions(context: Context, worker: Worker): CallSessions {
  const { config, prisma: sql, outbox, clock, log, secrets, settings, snapshots, knowledge } = context;
  const { lease, carriers, audio, archive, measures, engine, lifecycle } = worker;
  const { openAudio, speakAhead, apologize } = audio;
  const { workerId } = lease;
  const timeoutMs = config.OPENAI_TIMEOUT_SECONDS * 1_000;
  const numbers = createNumberStore(sql);
  const withoutErased = createWithoutErased(context.erasedNumbers);
  const calls = createInboundCalls({ sql, clock });
  const allowed = { allowCidrs: config.OUTBOUND_ALLOW_CIDRS, allowHosts: config.OUTBOUND_ALLOW_HOSTS };
  const outbound = createOutboundClient({ ...allowed, internalUrls: internalUrlsOf(config), log });
  lifecycle.onStop('connections to tools', () => outbound.close());
  const answering: DecideDeps = {
    ...{ numbers, calls, snapshots, archive, owner: lease, clock },
    sendInboundWebhook: (question, signal) =>
      sendInboundWebhook({ outbound, settings, clock, log }, question, signal),
  };
  const checkArguments = createArgumentCheck();
  return createCallSessions({
    decide: (call, life) => decideAnswer(answering, call, life),
    carriers,
    openAudio,
    speakAhead,
    live: createLiveModels({
      models: config.LIVE_MODELS,
      carriesAudio: openAudio !== undefined,
      metrics: measures,
      log,
      timeoutMs,
      saveState: createModelStates(sql, workerId),
    }),
    apologize,
    recordLive: worker.recordLive,
    toolRunnerOf: (carrier) =>
      createToolRunner({ outbound, allowed, knowledge, settings, clock, log, checkArguments, carrier }),
    openConnection: (call) => openConnection({ numbers, secrets }, call),
    clock,
    log,
    owner: lease,
    writes: createCallWrites({
      sql,
      outbox,
      clock,
      log,
      circuitRules: {
        failures: config.CIRCUIT_FAILURES,
        firstPauseMs: config.CIRCUIT_PAUSE_SECONDS * 1_000,
        longestPauseMs: config.CIRCUIT_LONGEST_PAUSE_SECONDS * 1_000,
      },
      withoutErased,
      onEnded: measures.ended,
      noteChange: context.noteChange,
    }),
    undoDial: createUndoDial({ transact: (work) => outbox.transaction(work), workerId, now: clock.now }),
    turns: createTurnWriter({ sql, log, workerId, withoutErased }),
    toolsUnderWay: createToolsUnderWay(sql, withoutErased),
    findEngine: engine ? () => engine : context.findEngine,
    onEnded: worker.onEnded,
  });
}
