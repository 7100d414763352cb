import { createJobLoop, createKeyedLimiter, createSingleFlight } from '@parley/kit/concurrency';
import { internalUrlsOf } from '@parley/kit/config';
import { isClientGone } from '@parley/kit/http';
import { createIdempotencySweep } from '@parley/kit/idempotency';
import { createOutboundClient } from '@parley/kit/outbound';
import { createFindUnpublished, mountOutbox } from '@parley/kit/outbox';
import { createApplyRetention, createRemover } from '@parley/kit/removal';
import { createReencryption, type Reencryption } from '@parley/kit/secrets';
import type { PauseRecordingDeps } from './after-call/recordings/live/pause-recording.ts';
import { createRecordingPauses } from './after-call/recordings/live/recording-pauses.store.ts';
import { removeSegments } from './after-call/recordings/live/remove-segments.ts';
import { createSegments } from './after-call/recordings/live/segments.store.ts';
import { createNoteRead } from './after-call/recordings/note-reads.ts';
import type { OpenRecordingDeps } from './after-call/recordings/open-recording.ts';
import { findRecordingKey, isAwaited } from './after-call/recordings/recording-queue.store.ts';
import { mountRecordings } from './after-call/routes.ts';
import { createTranscriptionRequests } from './after-call/transcriptions/transcription-queue.store.ts';
import { createAnalytics } from './analytics/analytics.store.ts';
import { startAnalyticsJobs } from './analytics/jobs.ts';
import { createLiveCallReader } from './analytics/live-calls.store.ts';
import { createOpenCircuits } from './analytics/open-circuits.store.ts';
import { type AnalyticsRouteDeps, mountAnalytics } from './analytics/routes.ts';
import { createAgentCopies } from './assistants/agent-copies.store.ts';
import { createCallHistory } from './calls/call-history.store.ts';
import type { PlaceCallDeps } from './calls/place-call.ts';
import { createQueuedCalls } from './calls/queued-calls.store.ts';
import type { GetCallDeps } from './calls/read-calls.ts';
import { mountCalls } from './calls/routes.ts';
import { createTimelines, type Timelines } from './calls/timeline/timelines.store.ts';
import { createAwaitTranscription } from './calls/transcripts/await-transcription.ts';
import type { FixTranscriptDeps } from './calls/transcripts/fix-transcript.ts';
import { createTranscriptFixes } from './calls/transcripts/transcript-fixes.store.ts';
import { createWritePlacedCall } from './calls/write-placed-calls.ts';
import { noCarrierNumbers } from './carriers/no-carrier-numbers.ts';
import { chooseCarriers, configuredCarriers } from './carriers/registry.ts';
import type { CallInDeps } from './carriers/simulator/call-in.ts';
import { createCallerStore } from './carriers/simulator/caller-store.ts';
import { createCueReader } from './carriers/simulator/recording/cue-reader.ts';
import { isPointedHere } from './carriers/simulator/route-store.ts';
import { mountSimulator } from './carriers/simulator/routes.ts';
import { createSimulatedNumbers } from './carriers/simulator/simulated-numbers.ts';
import type { Transact } from './clients/ports.ts';
import type { Context } from './context.ts';
import { createDialConditions } from './dialer/dial-conditions.store.ts';
import { createDialRecords } from './dialer/dial-records.store.ts';
import { createDialQueue } from './dialer/dial-requests.store.ts';
import { createDoNotCallList } from './dialer/do-not-call/do-not-call.store.ts';
import type { DoNotCallDeps } from './dialer/do-not-call/ports.ts';
import { mountDoNotCall } from './dialer/do-not-call/routes.ts';
import { type DialDeps, mountDials } from './dialer/routes.ts';
import { startServer } from './http-server.ts';
import { createInboundCalls } from './inbound/inbound-calls.store.ts';
import { createCallMutex } from './limits/call-mutex.ts';
import { dailySpend } from './limits/daily-spend.store.ts';
import type { NumberDeps } from './numbers/add-number.ts';
import type { DeleteNumberDeps } from './numbers/delete-phone-number.ts';
import { startNumberJobs } from './numbers/jobs.ts';
import { createNumberStore } from './numbers/numbers.store.ts';
import { mountPhoneNumbers } from './numbers/routes.ts';
import { createTrunkRemovals } from './numbers/trunk-removals.store.ts';
import { listRemovalCalls } from './removal/erase-calls.store.ts';
import { erasureSteps } from './removal/erasure-steps.store.ts';
import { retentionSteps } from './removal/retention-steps.store.ts';
import { mountRemovals, type RemovalDeps } from './removal/routes.ts';
import { workspaceSteps } from './removal/workspace-steps.store.ts';
import { mountSecrets } from './secrets/routes.ts';
import { SEALED_COLUMNS } from './secrets/sealed-columns.ts';
import { createStoppableCalls } from './sessions/call-stops.store.ts';
import type { StopCallDeps } from './sessions/stop-call.ts';
import { createArgumentCheck } from './sessions/tools/check-arguments.ts';
import { createWithoutErased } from './sessions/without-erased.ts';
import { mountSipTrace } from './sip-trace/routes.ts';
import { createSipMessages, type SipMessages } from './sip-trace/sip-messages.store.ts';
import { mountSpeech } from './speech/routes.ts';
import { mountTestTurns } from './test-turns/routes.ts';
import type { TestTurnDeps } from './test-turns/take-turn.ts';
import { mountStoredBytes } from './usage/routes.ts';
import type { AttendDeps } from './web-calls/attend-web-call.ts';
import type { DescribeDeps } from './web-calls/describe-web-call.ts';
import { createForwardAudio, type ForwardAudioDeps } from './web-calls/forward-audio.ts';
import type { OfferDeps } from './web-calls/offer-web-call.ts';
import { mountWebCalls } from './web-calls/routes.ts';
import type { StartWebCallDeps } from './web-calls/start-web-call.ts';
import { createWebCalls } from './web-calls/web-calls.store.ts';
import { createWebLines } from './web-calls/web-lines.store.ts';

const SWEEP_EVERY_MS = 600_000;
/** Maximum concurrent test turns of a workspace, and the real time of each [dashboard.13]. */
const MAX_TEST_TURNS = 10;
const TEST_TURN_MS = 60_000;
/** Maximum concurrent requests of a workspace that wait for a transcription, for the end of a call, for the pause of a recording, and for a worker
 * (also of a call) [trust.1]. */
const MAX_FIXES_AT_ONCE = 8;
const MAX_STOP_WAITS = 16;
const MAX_PAUSE_WAITS = 16;
const MAX_VISITOR_WAITS = 32;
const MAX_VISITOR_WAITS_OF_CALL = 3;

/** Starts the API process: routes and their jobs. */
export async function startApi(context: Context): Promise<{ port: number }> {
  const { config, prisma, clock, log, lifecycle, idempotencyStore } = context;
  const deps = createApiDeps(context);
  createIdempotencySweep({ store: idempotencyStore, log, lifecycle });
  createJobLoop({
    name: 'SIP messages without a call',
    everyMs: SWEEP_EVERY_MS,
    run: () => deps.sipMessages.sweep(),
    log,
    lifecycle,
  });
  startNumberJobs({ ...deps, clock, log, lifecycle });
  startAnalyticsJobs({ sql: prisma, log, lifecycle });
  context.ownServer.onWebSocket('/widget/session/audio', createForwardAudio(deps));
  return startServer(context, (app) => {
    mountPhoneNumbers(app, deps);
    mountCalls(app, deps);
    mountAnalytics(app, deps);
    mountWebCalls(app, deps);
    mountDoNotCall(app, deps);
    mountRecordings(app, deps);
    mountDials(app, deps);
    mountSecrets(app, deps);
    mountOutbox(app, 'telephony', prisma);
    mountRemovals(app, createRemovalDeps(context));
    mountStoredBytes(app, context);
    mountSpeech(app, context);
    mountTestTurns(app, createTestDeps(context));
    mountSipTrace(app, deps);
    if (config.NODE_ENV !== 'production') mountSimulator(app, createSimulatorDeps(context));
  });
}

/** The dependencies of the use cases behind the routes. */
export type ApiDeps = NumberDeps &
  DeleteNumberDeps &
  DoNotCallDeps &
  PlaceCallDeps &
  GetCallDeps &
  OpenRecordingDeps &
  FixTranscriptDeps &
  PauseRecordingDeps &
  StopCallDeps &
  StartWebCallDeps &
  AttendDeps &
  DescribeDeps &
  OfferDeps &
  ForwardAudioDeps &
  AnalyticsRouteDeps &
  DialDeps & { timelines: Timelines; reencryption: Reencryption; sipMessages: SipMessages };

export function createApiDeps(context: Context): ApiDeps {
  const { config, clock, prisma, outbox, secrets, briefs, campaigns, settings, recordings, recordingLinks } =
    context;
  const names = configuredCarriers(config);
  const transcriptions = createTranscriptionRequests(prisma);
  const transact: Transact = (work) => outbox.transaction(work);
  const callMutex = createCallMutex();
  const queuedCalls = createQueuedCalls();
  return {
    clock,
    secrets,
    briefs,
    settings,
    noteChange: context.noteChange,
    transact,
    numbers: createNumberStore(prisma),
    copies: createAgentCopies(prisma),
    callMutex,
    writePlacedCall: createWritePlacedCall({ transact, callMutex, queuedCalls, spend: dailySpend }),
    spend: dailySpend,
    history: createCallHistory(prisma),
    analytics: createAnalytics(prisma),
    liveCalls: createLiveCallReader(prisma),
    openCircuits: createOpenCircuits(prisma),
    findUnpublished: createFindUnpublished(prisma, 'telephony'),
    timelines: createTimelines(prisma),
    recordingLinks,
    recordings,
    findRecordingKey: (callId) => findRecordingKey(prisma, callId),
    isRecordingAwaited: (callId) => isAwaited(prisma, callId),
    noteRead: createNoteRead({ sql: prisma, transact: (work) => outbox.transaction(work), clock }),
    cueReader: createCueReader(recordings),
    transcriptions,
    transcribed: createAwaitTranscription(transcriptions),
    fixSlots: createKeyedLimiter({ concurrency: MAX_FIXES_AT_ONCE }),
    stopping: createSingleFlight({ isOwn: isClientGone }),
    stopWaits: createKeyedLimiter({ concurrency: MAX_STOP_WAITS }),
    pauseWaits: createKeyedLimiter({ concurrency: MAX_PAUSE_WAITS }),
    visitorWaits: createKeyedLimiter({ concurrency: MAX_VISITOR_WAITS }),
    visitorWaitsOfCall: createKeyedLimiter({ concurrency: MAX_VISITOR_WAITS_OF_CALL }),
    fixes: createTranscriptFixes({ sql: prisma, outbox, signRecording: recordingLinks.signForEvent }),
    reencryption: createReencryption({ sql: prisma, box: secrets, columns: SEALED_COLUMNS }),
    dials: createDialQueue(prisma),
    dialRecords: createDialRecords(prisma),
    dialConditions: createDialConditions(prisma),
    carriers: chooseCarriers(names),
    carrierNumbers: names.includes('simulator')
      ? createSimulatedNumbers({ sql: prisma, clock })
      : noCarrierNumbers,
    campaigns,
    doNotCall: createDoNotCallList(prisma),
    trunkRemovals: createTrunkRemovals(prisma),
    sipMessages: createSipMessages(prisma, createWithoutErased(context.erasedNumbers)),
    maxNumbers: config.PHONE_NUMBERS_PER_WORKSPACE,
    allowed: { allowCidrs: config.OUTBOUND_ALLOW_CIDRS, allowHosts: config.OUTBOUND_ALLOW_HOSTS },
    stops: createStoppableCalls(),
    recordingPauses: createRecordingPauses(prisma),
    webCalls: createWebCalls(prisma),
    webLines: createWebLines(prisma),
    accessTokens: context.accessTokens,
    iceServers: config.WEB_ICE_SERVERS,
    nowMs: Date.now,
    webCallUrl: `${config.PUBLIC_URL}/widget/session`,
  };
}

function createRemovalDeps(context: Context): RemovalDeps {
  const { prisma, outbox, clock, recordings, amqp, erasedNumbers } = context;
  const { segmentFiles: files, segmentCopies: copies } = context;
  const segments = createSegments(prisma);
  const removeUnusedSegments = () => removeSegments({ segments, files, copies }, null);
  const deps = { clock, recordings, removeUnusedSegments };
  return {
    remover: createRemover({
      service: 'telephony',
      amqp,
      erasedNumbers,
      transact: (work) => outbox.transaction(work),
      erasure: erasureSteps(deps),
      workspace: workspaceSteps(deps),
    }),
    applyRetention: createApplyRetention({
      transact: (work) => outbox.transaction(work),
      clock,
      steps: retentionSteps(deps),
    }),
    listRemovalCalls: (removalId, after) => listRemovalCalls(prisma, removalId, after),
  };
}

/** Dependencies of assistants' turns without a call. */
function createTestDeps(context: Context): TestTurnDeps {
  const { config, log, lifecycle, clock, settings, knowledge, drafts, findEngine, prisma } = context;
  const allowed = { allowCidrs: config.OUTBOUND_ALLOW_CIDRS, allowHosts: config.OUTBOUND_ALLOW_HOSTS };
  const outbound = createOutboundClient({ ...allowed, internalUrls: internalUrlsOf(config), log });
  lifecycle.onStop('connections to tested tools', () => outbound.close());
  return {
    drafts,
    findEngine,
    spentToday: async (workspaceId) =>
      (await dailySpend.spentOn(prisma, [workspaceId], clock.now())).get(workspaceId) ?? 0,
    turns: createKeyedLimiter({ concurrency: MAX_TEST_TURNS }),
    turnTimeoutMs: TEST_TURN_MS,
    outbound,
    allowed,
    knowledge,
    settings,
    clock,
    log,
    checkArguments: createArgumentCheck(),
  };
}

/** The simulated carrier's far end. */
function createSimulatorDeps({ prisma, clock, outbox }: Context): CallInDeps {
  return {
    transact: (work) => outbox.transaction(work),
    clock,
    numbers: createNumberStore(prisma),
    callers: createCallerStore(prisma),
    isPointedHere: (workspaceId, phoneNumber) => isPointedHere(prisma, workspaceId, phoneNumber),
    isKnownCall: createInboundCalls({ sql: prisma, clock }).isKnown,
  };
}
