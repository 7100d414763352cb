import type { Message } from '@parley/contracts';
import { createJobLoop } from '@parley/kit/concurrency';
import { internalUrlsOf } from '@parley/kit/config';
import { createInboxSweep } from '@parley/kit/inbox';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { createHostGuard, createOutboundClient } from '@parley/kit/outbound';
import { enqueue } from '@parley/kit/outbox';
import { monotonicMs } from '@parley/kit/time';
import { isInstalled } from '@parley/speech/providers';
import type { Analyser } from './after-call/analysis/ports.ts';
import { startAfterCallJobs } from './after-call/jobs.ts';
import { createLiveRecordings } from './after-call/recordings/live/live-recordings.ts';
import { createSegments } from './after-call/recordings/live/segments.store.ts';
import type { Recorder } from './after-call/recordings/ports.ts';
import { createAgentCopies } from './assistants/agent-copies.store.ts';
import { createSnapshotArchive } from './assistants/snapshot-archive.store.ts';
import type { Carrier } from './carriers/carrier.ts';
import type { CarrierName } from './carriers/carrier-names.ts';
import { createLegStates } from './carriers/leg-state.store.ts';
import {
  carriesAudio,
  chooseCarriers,
  configuredCarriers,
  createCarriers,
  messageSender,
} from './carriers/registry.ts';
import { createFliteVoice } from './carriers/simulator/recording/flite-voice.ts';
import { createSimulatedRecorder } from './carriers/simulator/recording/simulated-recorder.ts';
import { toneVoice } from './carriers/simulator/recording/tone-voice.ts';
import { createSimulator } from './carriers/simulator/simulator.ts';
import { createWebCarrier } from './carriers/web/web-carrier.ts';
import type { Transact } from './clients/ports.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import type { CircuitRules } from './dialer/circuit.ts';
import { createDialIntake } from './dialer/dial-requests.store.ts';
import { startDialer } from './dialer/dialer.ts';
import { createDialStore } from './dialer/dials.store.ts';
import { queueDial } from './dialer/queue-dial.ts';
import { recentSnapshots } from './dialer/recent-snapshots.ts';
import { createUndoDial } from './dialer/undo-dials.store.ts';
import { createUnreachable } from './dialer/unreachable.ts';
import type { ConversationEngine } from './engines/engine.ts';
import { createFindAnalyser } from './engines/find-analyser.ts';
import { createFindEngine } from './engines/find-engine.ts';
import { decideAnswer } from './inbound/decide-answer.ts';
import { createInboundCalls } from './inbound/inbound-calls.store.ts';
import { sendInboundWebhook } from './inbound/send-inbound-webhook.ts';
import { takeRing } from './inbound/take-ring.ts';
import { loadOnce } from './load-once.ts';
import { copyAssistant, forgetAssistant } from './numbers/follow-assistant.ts';
import { createNumberStore } from './numbers/numbers.store.ts';
import { openConnection } from './numbers/open-connection.ts';
import { addressesOf } from './own-server.ts';
import { readRecords } from './sessions/call-records.store.ts';
import { createCallSessions } from './sessions/call-sessions.ts';
import { createStoppableCalls, findStopped } from './sessions/call-stops.store.ts';
import { createCallWrites } from './sessions/call-writes.store.ts';
import { createHeartbeat } from './sessions/heartbeat.store.ts';
import { startSessionJobs } from './sessions/jobs.ts';
import { BEAT_EVERY_MS, beginLease, createLease } from './sessions/lease.ts';
import { createLiveModels } from './sessions/live-models.ts';
import { createLiveWorkspaces } from './sessions/live-workspaces.store.ts';
import { createModelStates } from './sessions/model-state.store.ts';
import type { OpenAudio } from './sessions/open-audio.ts';
import { createArgumentCheck } from './sessions/tools/check-arguments.ts';
import { createToolRunner } from './sessions/tools/run-tool.ts';
import { createToolsUnderWay, readBegunTools } from './sessions/tools/tools-under-way.store.ts';
import { createTurnWriter } from './sessions/turn-writer.store.ts';
import { createWorkers } from './sessions/workers.store.ts';
import { createSipMessages } from './sip-trace/sip-messages.store.ts';
import { createTraceWriter } from './sip-trace/trace-writer.ts';
import { hasSpeech } from './speech/available-speech.ts';
import { configuredSpeech } from './speech/configured-speech.ts';
import type { FindHearing, FindSpeech } from './speech/find-speech.ts';
import { startTrunkJobs } from './trunks/jobs.ts';
import { edgeAddresses } from './trunks/tell-edges.ts';
import { createTerminations } from './trunks/terminations.store.ts';
import { WORKER_AUDIO_PATH } from './web-calls/forward-audio.ts';
import { startWebCallJobs } from './web-calls/jobs.ts';
import { createTakeAudio } from './web-calls/take-audio.ts';
import { createWebCalls } from './web-calls/web-calls.store.ts';
import { createWebLines } from './web-calls/web-lines.store.ts';
import { createWorkerMetrics } from './worker-metrics.ts';

/** Ports that tests replace. */
export type WorkerOverrides = {
  /** In place of the simulator. */
  carrier?: Carrier;
  engine?: ConversationEngine;
  analyser?: Analyser;
  findSpeech?: FindSpeech;
  findHearing?: FindHearing;
  recorder?: Recorder;
};

export type CallWorker = { workerId: string; liveCalls(): number };

/** A campaign requests its dials one message at a time. */
const DIALS_PREFETCH = 64;

/** A model may take this many times longer for an analysis than for a turn; less than the lease of its claim. */
const ANALYSIS_TIMEOUTS = 6;
const MAX_ANALYSIS_MS = 90_000;

/** Stack seconds, as the operator set them. */
const circuitRules = (config: Config): CircuitRules => ({
  failures: config.CIRCUIT_FAILURES,
  firstPauseMs: config.CIRCUIT_PAUSE_SECONDS * 1_000,
  longestPauseMs: config.CIRCUIT_LONGEST_PAUSE_SECONDS * 1_000,
});

/** Loads the providers when the first recording is transcribed. */
function createLazyHearing(config: Config, log: Log): FindHearing {
  let loaded: Promise<FindHearing> | undefined;
  return async (choice) => {
    loaded ??= import('./speech/provider-speech.ts').then(({ createFindHearing }) =>
      createFindHearing(config, log),
    );
    return (await loaded)(choice);
  };
}

export function startConsumers(context: Context): void {
  const { amqp, prisma, outbox, clock, log, lifecycle, dialWakeUp } = context;
  const transact: Transact = (work) => outbox.transaction(work);
  const refuseDial = ({ workspace_id: workspaceId, data }: Message<'dial.requested'>) => {
    const { call_id, campaign_id, contact_id } = data;
    const refusal = { call_id, campaign_id, contact_id, reason: 'do_not_call' as const };
    return transact((tx) =>
      enqueue(tx, { type: 'dial.refused', workspaceId, occurredAt: clock.now(), data: refusal }),
    );
  };
  const addDialRequest = createDialIntake(prisma);
  const dials = { clock, addDialRequest, refuseDial, wakeDialer: dialWakeUp.wake };
  const copies = createAgentCopies(prisma);
  const follow = { transact, clock, numbers: createNumberStore(prisma), copies };
  amqp.consume({
    queue: 'telephony.dials',
    prefetch: DIALS_PREFETCH,
    handlers: { 'dial.requested': (message) => queueDial(dials, message) },
  });
  amqp.consume({
    queue: 'telephony.assistants',
    handlers: {
      'assistant.updated': (message) => copyAssistant(follow, message),
      'assistant.deleted': (message) => forgetAssistant(follow, message),
    },
  });
  createInboxSweep({ sql: prisma, log, lifecycle });
}

/**
 * Dials, carries calls, takes over those of dead workers, and records and analyses ended calls. When `lifecycle` stops, the
 * worker dials no more and releases its calls, which other workers take over at once.
 */
export async function startWorker(
  context: Context,
  lifecycle: Lifecycle,
  overrides: WorkerOverrides = {},
): Promise<CallWorker> {
  const {
    config,
    prisma: sql,
    outbox,
    clock,
    log,
    secrets,
    settings,
    snapshots,
    knowledge,
    openai,
  } = context;
  const measures = createWorkerMetrics(context.metrics);
  const transact: Transact = (work) => outbox.transaction(work);
  const names = configuredCarriers(config);
  const hasAudio = overrides.carrier
    ? overrides.carrier.capabilities.media === 'audio'
    : carriesAudio(config);
  if (hasAudio && clock.rate !== 1)
    throw new Error('Calls with audio are in real time: CLOCK_RATE must be 1');
  const maxLiveCalls = hasAudio
    ? Math.min(config.MAX_AUDIO_CALLS, config.MAX_LIVE_CALLS)
    : config.MAX_LIVE_CALLS;
  const hasWebAudio =
    config.WEB_AUDIO === 'auto' &&
    clock.rate === 1 &&
    (overrides.findSpeech !== undefined ||
      (await hasSpeech({ providers: configuredSpeech(config), isInstalled })));
  const heartbeat = createHeartbeat(
    { databaseUrl: config.DATABASE_URL, log, lifecycle },
    { maxLiveCalls, url: context.ownServer.url(), hasWebAudio },
  );
  const lease = createLease({ heartbeat, log });
  const { workerId } = lease;

  if (names.length === 0)
    log.error('no carrier is configured (CARRIERS): this worker dials no number and receives no calls');
  else log.info({ carriers: names }, 'carriers');
  const voice = config.RECORDING_SPEECH === 'tones' ? toneVoice : createFliteVoice(log);
  const openSpokenLine =
    names.includes('simulator') && config.SIMULATOR_MEDIA !== 'text' && !overrides.carrier
      ? (await import('./carriers/simulator/spoken/spoken-lines.ts')).createSpokenLines({
          isWideband: config.SIMULATOR_MEDIA === 'wideband',
          hasTones: config.RECORDING_SPEECH === 'tones',
          clock,
          log,
          saveState: createLegStates(sql, workerId),
        })
      : undefined;
  const recordings = createLiveRecordings({
    workerId,
    segments: createSegments(sql),
    files: context.segmentFiles,
    copies: context.segmentCopies,
    maxSeconds: config.RECORDING_MAX_SECONDS,
    log,
  });
  const loadFindSpeech = loadOnce(async () => {
    if (overrides.findSpeech) return overrides.findSpeech;
    const { createFindSpeech } = await import('./speech/provider-speech.ts');
    return createFindSpeech(config, log);
  });
  const loadSpeech = loadOnce(async () => {
    const { createOpenAudio } = await import('./sessions/open-audio.ts');
    return createOpenAudio(await loadFindSpeech(), measures);
  });
  if (hasAudio) await loadSpeech();
  const openAudio: OpenAudio | undefined =
    hasAudio || hasWebAudio ? async (call) => (await loadSpeech())(call) : undefined;
  const loadWebAudio = loadOnce(async () => {
    const { createWebAudio } = await import('./carriers/web/audio/web-audio.ts');
    await loadSpeech();
    return createWebAudio({
      host: config.HOST,
      addresses: config.WEB_UDP_ADDRESSES ?? addressesOf(config.HOST),
      ports: config.WEB_UDP_PORTS,
      log,
      lifecycle,
    });
  });
  const modelTimeoutMs = config.OPENAI_TIMEOUT_SECONDS * 1_000;
  const liveModels = createLiveModels({
    models: config.LIVE_MODELS,
    carriesAudio: hasAudio || hasWebAudio,
    loadFindSpeech,
    metrics: measures,
    log,
    timeoutMs: modelTimeoutMs,
    saveState: createModelStates(sql, workerId),
  });
  const numbers = createNumberStore(sql);
  const allowed = { allowCidrs: config.OUTBOUND_ALLOW_CIDRS, allowHosts: config.OUTBOUND_ALLOW_HOSTS };
  const openCarrier: Readonly<Record<CarrierName, () => Promise<Carrier>>> = {
    simulator: async () => createSimulator({ sql, clock, log, openSpokenLine }),
    sip: async () => {
      const { openSip } = await import('./carriers/sip/open-sip.ts');
      const sip = await openSip({
        config,
        sql,
        numbers,
        secrets,
        internalUrls: internalUrlsOf(config),
        workerId,
        maxCalls: maxLiveCalls,
        liveCalls: () => sessions.size(),
        trace: createTraceWriter({
          messages: createSipMessages(sql),
          dropped: measures.untraced,
          log,
          lifecycle,
        }),
        clock,
        log,
        lifecycle,
      });
      startTrunkJobs({
        transact: (work) => context.outbox.transaction(work),
        terminations: createTerminations(sql),
        secrets,
        guard: createHostGuard({ ...allowed, internalUrls: internalUrlsOf(config) }),
        ping: sip.ping,
        edges: edgeAddresses(config.SIP_EDGE_URL),
        firstPauseMs: circuitRules(config).firstPauseMs,
        nowMs: monotonicMs,
        clock,
        log,
        lifecycle,
      });
      return sip;
    },
  };
  const configured = await Promise.all(names.map((name) => overrides.carrier ?? openCarrier[name]()));
  const webLines = createWebLines(sql);
  const web = createWebCarrier({
    lines: webLines,
    clock,
    log,
    sendSms: messageSender(configured),
    loadAudio: hasWebAudio ? loadWebAudio : undefined,
    saveState: createLegStates(sql, workerId),
  });
  if (hasWebAudio) {
    const { accessTokens, ownServer } = context;
    const takeAudio = createTakeAudio({ accessTokens, lines: webLines, web, loadAudio: loadWebAudio });
    ownServer.onWebSocket(WORKER_AUDIO_PATH, takeAudio);
    // A first visitor would wait for it; development is kept light.
    if (config.NODE_ENV === 'production')
      loadWebAudio().catch((err: unknown) => log.error({ err }, 'web calls cannot be spoken'));
  }
  const carriers = createCarriers(configured, web, clock);
  const models = { openai, defaultModel: config.OPENAI_MODEL };
  const outbound = createOutboundClient({ ...allowed, internalUrls: internalUrlsOf(config), log });
  lifecycle.onStop('connections to tools', () => outbound.close());
  const archive = createSnapshotArchive({ prisma: sql, secrets, clock });
  const inboundCalls = createInboundCalls({ sql, clock });
  const checkArguments = createArgumentCheck();
  const toolRunnerOf = (carrier: Carrier) =>
    createToolRunner({ outbound, allowed, knowledge, settings, clock, log, checkArguments, carrier });
  const { engine, analyser } = overrides;

  const sessions = createCallSessions({
    decide: (call, life) =>
      decideAnswer(
        {
          numbers,
          calls: inboundCalls,
          snapshots,
          archive,
          owner: lease,
          clock,
          sendInboundWebhook: (question, signal) =>
            sendInboundWebhook({ outbound, settings, clock, log }, question, signal),
        },
        call,
        life,
      ),
    carriers,
    openAudio,
    live: liveModels,
    recordLive: recordings.start,
    toolRunnerOf,
    openConnection: (call) => openConnection({ numbers, secrets }, call),
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
      noteChange: context.noteChange,
    }),
    undoDial: createUndoDial({ transact, workerId, now: clock.now }),
    turns: createTurnWriter({ sql, log, workerId }),
    toolsUnderWay: createToolsUnderWay(sql),
    findEngine: engine ? () => engine : createFindEngine({ ...models, timeoutMs: modelTimeoutMs, log }),
    onEnded: () => afterCall.wake(),
  });
  measures.holds(sessions.size, maxLiveCalls);

  // The first heartbeat comes before the first call.
  await beginLease(lease, { log, signal: lifecycle.signal });
  lifecycle.onStop('lease of the worker', (stop) => lease.resign(stop));
  // After the calls have been handed over.
  lifecycle.onStop('recordings of live calls', recordings.drain);
  createJobLoop({
    name: 'heartbeat',
    everyMs: BEAT_EVERY_MS,
    run: async () => {
      // Keep this loop free of other work: a late heartbeat lets other workers take our calls.
      if (!(await lease.beat())) takeOver.wake();
      return false;
    },
    log,
    lifecycle,
  });
  const afterCall = startAfterCallJobs({
    sql,
    outbox,
    workerId,
    archive,
    findAnalyser: analyser
      ? () => analyser
      : createFindAnalyser({
          ...models,
          timeoutMs: Math.min(modelTimeoutMs * ANALYSIS_TIMEOUTS, MAX_ANALYSIS_MS),
        }),
    recorder:
      overrides.recorder ?? createSimulatedRecorder({ voice, maxSeconds: config.RECORDING_MAX_SECONDS }),
    hasAudio: (call) => carriers.of(call).capabilities.media === 'audio',
    live: recordings,
    recordings: context.recordings,
    recordingLinks: context.recordingLinks,
    findHearing: overrides.findHearing ?? createLazyHearing(config, log),
    keepDays: config.RECORDINGS_KEEP_DAYS,
    clock,
    log,
    lifecycle,
  });
  const { takeOver } = startSessionJobs({
    sessions,
    workerId,
    workers: createWorkers(sql),
    archive,
    readRecords: (ids) => readRecords(sql, ids),
    readBegunTools: (ids) => readBegunTools(sql, ids),
    onPoison: measures.poisoned,
    findStopped: (id) => findStopped(sql, id),
    transact,
    stops: createStoppableCalls(),
    liveWorkspaces: createLiveWorkspaces(sql),
    findSuspended: context.findSuspended,
    clock,
    log,
    lifecycle,
  });
  startDialer({
    store: createDialStore(sql, chooseCarriers(names)),
    transact,
    snapshots: recentSnapshots(snapshots),
    knownVersions: createAgentCopies(sql).knownVersions,
    archive,
    settings,
    unreachable: createUnreachable(),
    owner: lease,
    liveCalls: sessions.size,
    maxLiveCalls,
    dial: sessions.dial,
    onWaited: measures.waited,
    onDeparture: measures.departed,
    dialWakeUp: context.dialWakeUp,
    clock,
    log,
    lifecycle,
  });
  const { receive } = sessions;
  const rings = { numbers, calls: inboundCalls, settings, transact, clock, log, workerId, receive };
  // A ring that is not taken is offered to other workers.
  const hasRoom = (): boolean => sessions.size() < maxLiveCalls;
  for (const carrier of carriers.all)
    carrier.receive(async (ring) => hasRoom() && takeRing({ ...rings, carrier }, ring), lifecycle);
  startWebCallJobs({
    web,
    sessions,
    workerId,
    transact,
    webCalls: createWebCalls(sql),
    audioRoom: () =>
      hasWebAudio ? Math.min(config.MAX_AUDIO_CALLS - web.audioCalls(), maxLiveCalls - sessions.size()) : 0,
    clock,
    log,
    lifecycle,
  });
  log.info({ workerId }, 'call worker started');
  return { workerId, liveCalls: sessions.size };
}
