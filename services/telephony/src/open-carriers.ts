import { internalUrlsOf } from '@parley/kit/config';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { createHostGuard } from '@parley/kit/outbound';
import { monotonicMs } from '@parley/kit/time';
import type { Carrier } from './carriers/carrier.ts';
import type { CarrierName } from './carriers/carrier-names.ts';
import { createLegStates, type SaveLegState } from './carriers/leg-state.store.ts';
import { type Carriers, configuredCarriers, createCarriers, messageSender } from './carriers/registry.ts';
import { createSimulator } from './carriers/simulator/simulator.ts';
import { createResolveTrunk } from './carriers/sip/signalling/resolve-trunk.ts';
import { createWebCarrier, type WebCarrier } from './carriers/web/web-carrier.ts';
import type { Context } from './context.ts';
import { createNumberStore } from './numbers/numbers.store.ts';
import { createWithoutErased } from './sessions/without-erased.ts';
import { createSipMessages } from './sip-trace/sip-messages.store.ts';
import { createTraceWriter } from './sip-trace/trace-writer.ts';
import { startTrunkJobs } from './trunks/jobs.ts';
import { edgeAddresses } from './trunks/publish-sources.ts';
import { createTerminations } from './trunks/terminations.store.ts';
import { WORKER_AUDIO_PATH } from './web-calls/forward-audio.ts';
import { createTakeAudio } from './web-calls/take-audio.ts';
import { createWebLines } from './web-calls/web-lines.store.ts';
import type { WorkerAudio } from './worker-audio.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

/** Of a trunk, whose addresses may call in; bounds the queries for a hostile name. */
const MAX_SERVERS = 32;

type Worker = {
  workerId: string;
  audio: WorkerAudio;
  liveCalls: () => number;
  measures: WorkerMetrics;
  /** Replaces the configured carriers. */
  carrier: Carrier | undefined;
  lifecycle: Lifecycle;
};

/** The carriers of this worker, with the jobs that belong to them. */
export async function openCarriers(
  context: Context,
  worker: Worker,
): Promise<{ carriers: Carriers; web: WebCarrier }> {
  const { config, prisma: sql, clock, log } = context;
  const { workerId, audio, carrier } = worker;
  const names = configuredCarriers(config);
  if (names.length === 0)
    log.error('no carrier is configured (CARRIERS): this worker dials no number and receives no calls');
  else log.info({ carriers: names }, 'carriers');
  const saveState = createLegStates(sql, workerId, createWithoutErased(context.erasedNumbers));
  const open: Readonly<Record<CarrierName, () => Promise<Carrier>>> = {
    simulator: () => openSimulator(context, saveState),
    sip: () => openSipTrunks(context, worker, saveState),
  };
  const configured = await Promise.all(names.map((name) => carrier ?? open[name]()));
  const lines = createWebLines(sql);
  const web = createWebCarrier({
    lines,
    clock,
    log,
    sendSms: messageSender(configured),
    loadAudio: audio.hasWebAudio ? audio.loadWebAudio : undefined,
    saveState,
  });
  if (audio.hasWebAudio) {
    const { accessTokens, ownServer } = context;
    const takeAudio = createTakeAudio({ accessTokens, lines, web, loadAudio: audio.loadWebAudio });
    ownServer.onWebSocket(WORKER_AUDIO_PATH, takeAudio);
    // In production loaded ahead, so that the first visitor doesn't wait.
    if (config.NODE_ENV === 'production')
      audio.loadWebAudio().catch((err: unknown) => log.error({ err }, 'web calls cannot be spoken'));
  }
  return { carriers: createCarriers(configured, web, clock), web };
}

async function openSimulator(
  { config, prisma: sql, clock, log }: Context,
  saveState: SaveLegState,
): Promise<Carrier> {
  const openSpokenLine =
    config.SIMULATOR_MEDIA === 'text'
      ? undefined
      : (await import('./carriers/simulator/spoken/spoken-lines.ts')).createSpokenLines({
          isWideband: config.SIMULATOR_MEDIA === 'wideband',
          hasTones: config.RECORDING_SPEECH === 'tones',
          clock,
          log,
          saveState,
        });
  return createSimulator({ sql, clock, log, openSpokenLine });
}

async function openSipTrunks(
  { config, prisma: sql, outbox, secrets, erasedNumbers, clock, log }: Context,
  { workerId, audio, liveCalls, measures, lifecycle }: Worker,
  saveState: SaveLegState,
): Promise<Carrier> {
  const { openSip } = await import('./carriers/sip/open-sip.ts');
  const internalUrls = internalUrlsOf(config);
  const sip = await openSip({
    config,
    sql,
    numbers: createNumberStore(sql),
    secrets,
    internalUrls,
    workerId,
    saveState,
    maxCalls: audio.maxLiveCalls,
    liveCalls,
    trace: createTraceWriter({
      messages: createSipMessages(sql, createWithoutErased(erasedNumbers)),
      dropped: measures.untraced,
      log,
      lifecycle,
    }),
    metrics: measures.sip,
    clock,
    log,
    lifecycle,
  });
  startTrunkJobs({
    transact: (work) => outbox.transaction(work),
    terminations: createTerminations(sql),
    secrets,
    resolveTrunk: createResolveTrunk({
      guard: createHostGuard({
        allowCidrs: config.OUTBOUND_ALLOW_CIDRS,
        allowHosts: config.OUTBOUND_ALLOW_HOSTS,
        internalUrls,
      }),
      maxServers: MAX_SERVERS,
      maxTargets: Number.POSITIVE_INFINITY,
    }),
    ping: sip.ping,
    edges: edgeAddresses(config.SIP_EDGE_URL),
    knowTrunks: config.SIP_EDGE_URL.length > 0 ? undefined : sip.knowTrunks,
    firstPauseMs: config.CIRCUIT_PAUSE_SECONDS * 1_000,
    nowMs: monotonicMs,
    clock,
    log,
    lifecycle,
  });
  return sip;
}
