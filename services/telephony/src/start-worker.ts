import { createJobLoop } from '@parley/kit/concurrency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Analyzer } from './after-call/analysis/ports.ts';
import { startAfterCallJobs } from './after-call/jobs.ts';
import { createLiveRecordings } from './after-call/recordings/live/live-recordings.ts';
import { createRecordingPauses } from './after-call/recordings/live/recording-pauses.store.ts';
import { createSegments } from './after-call/recordings/live/segments.store.ts';
import type { Recorder } from './after-call/recordings/ports.ts';
import { startRecordingShare } from './after-call/recordings/recording-share.ts';
import { createAgentCopies } from './assistants/agent-copies.store.ts';
import { createSnapshotArchive } from './assistants/snapshot-archive.store.ts';
import type { Carrier } from './carriers/carrier.ts';
import { chooseCarriers, configuredCarriers } from './carriers/registry.ts';
import { createFliteVoice } from './carriers/simulator/recording/flite-voice.ts';
import { createSimulatedRecorder } from './carriers/simulator/recording/simulated-recorder.ts';
import { toneVoice } from './carriers/simulator/recording/tone-voice.ts';
import type { Transact } from './clients/ports.ts';
import type { Context } from './context.ts';
import { startDialer } from './dialer/dialer.ts';
import { createDialStore } from './dialer/dials.store.ts';
import { recentSnapshots } from './dialer/recent-snapshots.ts';
import { createUnreachable } from './dialer/unreachable.ts';
import type { ConversationEngine } from './engines/engine.ts';
import { createFindAnalyzer } from './engines/find-analyzer.ts';
import { createInboundCalls } from './inbound/inbound-calls.store.ts';
import { takeRing } from './inbound/take-ring.ts';
import { createCallMutex } from './limits/call-mutex.ts';
import { createNumberStore } from './numbers/numbers.store.ts';
import { openCarriers } from './open-carriers.ts';
import { openSessions } from './open-sessions.ts';
import { readRecords } from './sessions/call-records.store.ts';
import { createStoppableCalls, findStopped } from './sessions/call-stops.store.ts';
import { createHeartbeat } from './sessions/heartbeat.store.ts';
import { startSessionJobs } from './sessions/jobs.ts';
import { BEAT_EVERY_MS, beginLease, createLease } from './sessions/lease.ts';
import { createLiveWorkspaces } from './sessions/live-workspaces.store.ts';
import { readBegunTools } from './sessions/tools/tools-under-way.store.ts';
import { createWorkers } from './sessions/workers.store.ts';
import type { FindHearing, FindSpeech } from './speech/find-speech.ts';
import { startWebCallJobs } from './web-calls/jobs.ts';
import { createWebCalls } from './web-calls/web-calls.store.ts';
import { createLazyHearing, prepareAudio } from './worker-audio.ts';
import { createWorkerMetrics } from './worker-metrics.ts';

/** Ports that tests replace. */
export type WorkerOverrides = {
  /** Replaces the simulator. */
  carrier?: Carrier;
  engine?: ConversationEngine;
  analyzer?: Analyzer;
  findSpeech?: FindSpeech;
  findHearing?: FindHearing;
  recorder?: Recorder;
};

export type CallWorker = { workerId: string; liveCalls(): number };

/** A model may take this many times longer for an analysis than for a turn; less than the lease of its claim. */
const ANALYSIS_TIMEOUTS = 6;
const MAX_ANALYSIS_MS = 90_000;

/**
 * Dials, carries calls, takes over those of dead workers, and records and analyses ended calls. When `lifecycle` stops, the
 * worker stops dialing and releases its calls, which other workers take over at once.
 */
export async function startWorker(
  context: Context,
  lifecycle: Lifecycle,
  overrides: WorkerOverrides = {},
): Promise<CallWorker> {
  const { config, prisma: sql, outbox, clock, log, secrets, settings, snapshots, openai } = context;
  const measures = createWorkerMetrics(context.metrics);
  const transact: Transact = (work) => outbox.transaction(work);
  const audio = await prepareAudio(context, { measures, overrides, lifecycle });
  const { hasWebAudio, maxLiveCalls } = audio;
  const heartbeat = createHeartbeat(
    { databaseUrl: config.DATABASE_URL, log, lifecycle },
    { maxLiveCalls, url: context.ownServer.url(), hasWebAudio },
  );
  const lease = createLease({ heartbeat, log });
  const { workerId } = lease;

  const { carriers, web } = await openCarriers(context, {
    workerId,
    audio,
    liveCalls: () => sessions.size(),
    measures,
    carrier: overrides.carrier,
    lifecycle,
  });
  const voice = config.RECORDING_SPEECH === 'tones' ? toneVoice : createFliteVoice(log);
  const share = startRecordingShare({ sql, maxMb: config.RECORDINGS_MB_PER_WORKSPACE, log, lifecycle });
  const recordings = createLiveRecordings({
    workerId,
    segments: createSegments(sql),
    files: context.segmentFiles,
    copies: context.segmentCopies,
    maxSeconds: config.RECORDING_MAX_SECONDS,
    share,
    onLost: measures.unrecorded,
    log,
  });
  const archive = createSnapshotArchive({ prisma: sql, secrets, clock });
  const sessions = openSessions(context, {
    ...{ lease, carriers, audio, archive, measures, lifecycle },
    engine: overrides.engine,
    recordLive: recordings.start,
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
  const { analyzer } = overrides;
  const afterCall = startAfterCallJobs({
    sql,
    outbox,
    workerId,
    watchLease: lease.watch,
    archive,
    findAnalyzer: analyzer
      ? () => analyzer
      : createFindAnalyzer({
          openai,
          defaultModel: config.OPENAI_MODEL,
          timeoutMs: Math.min(config.OPENAI_TIMEOUT_SECONDS * 1_000 * ANALYSIS_TIMEOUTS, MAX_ANALYSIS_MS),
        }),
    recorder:
      overrides.recorder ?? createSimulatedRecorder({ voice, maxSeconds: config.RECORDING_MAX_SECONDS }),
    hasAudio: (call) => carriers.of(call).capabilities.media === 'audio',
    live: recordings,
    recordings: context.recordings,
    share,
    onOmitted: measures.omitted,
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
    recordingPauses: createRecordingPauses(sql),
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
    store: createDialStore(sql, chooseCarriers(configuredCarriers(config))),
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
  const rings = {
    numbers: createNumberStore(sql),
    calls: createInboundCalls({ sql, clock }),
    callMutex: createCallMutex(),
    receive: sessions.receive,
    ...{ settings, transact, clock, log, workerId },
  };
  // A ring that is not taken is offered to other workers.
  const hasCapacity = (): boolean => sessions.size() < maxLiveCalls;
  for (const carrier of carriers.all)
    carrier.receive(async (ring) => hasCapacity() && takeRing({ ...rings, carrier }, ring), lifecycle);
  startWebCallJobs({
    web,
    sessions,
    workerId,
    transact,
    webCalls: createWebCalls(sql),
    freeAudioCalls: () =>
      hasWebAudio ? Math.min(config.MAX_AUDIO_CALLS - web.audioCalls(), maxLiveCalls - sessions.size()) : 0,
    clock,
    log,
    lifecycle,
  });
  log.info({ workerId }, 'call worker started');
  return { workerId, liveCalls: sessions.size };
}
