import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { AnyEndpoint } from '@parley/contracts';
import { type App, type Auth, createApp, listen, readLimitsOf } from '@parley/kit/http';
import { createMigrationCheck } from '@parley/kit/migrations';
import { networkOf } from '@parley/kit/outbound';
import type { Request } from 'express';
import { type Admission, createAdmission } from './access/admission.ts';
import type { Trust } from './access/client-address.ts';
import { mountAttention } from './attention/routes.ts';
import { mountAuditLog } from './audit/routes.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { mountDashboard } from './dashboard/routes.ts';
import { mountOpenApi } from './docs/open-api.ts';
import { mountReference } from './docs/reference.ts';
import { noteWhenChanged } from './events/note-own-changes.ts';
import { mountEvents } from './events/routes.ts';
import { createConcurrentReads } from './forward/concurrent-reads.ts';
import type { DownloadOptions } from './forward/downloads.ts';
import { createForwardAudio } from './forward/forward-audio.ts';
import { mountPublicRoutes } from './forward/routes.ts';
import { MALFORMED_HEADERS } from './forward/widget-origins.ts';
import { startJobs } from './jobs.ts';
import { createKeyHashes } from './keys/key-hashes.ts';
import { mountKeys } from './keys/routes.ts';
import { mountMail } from './mail/routes.ts';
import { mountMembers } from './people/routes.ts';
import { mountErasure } from './removals/routes.ts';
import { mountSecrets } from './secrets/routes.ts';
import { securityHeaders } from './security-headers.ts';
import { guardAnonymous } from './sessions/dashboard.ts';
import { mountSessions } from './sessions/routes.ts';
import { sessionLifeOf } from './sessions/session-life.ts';
import { mountSecondFactor } from './sign-in/second-factor-routes.ts';
import { mountSingleSignOn } from './sign-in/single-sign-on-routes.ts';
import { createShareOfRequest } from './turns/share-of-request.ts';
import { inTurns } from './turns/start-turns.ts';
import { mountWidget } from './widget/routes.ts';
import { mountWorkspace, mountWorkspaceSettings } from './workspaces/routes.ts';

/** Limit for the headers of a client's request; services accept more, because the gateway adds its own. */
const MAX_HEADER_BYTES = 16 * 1024;
const MIGRATIONS = fileURLToPath(new URL('../prisma/migrations', import.meta.url));

/** Listens on the public port, and on the internal one for other services, probes and metrics. */
export async function startServers(
  context: Context,
  downloads?: DownloadOptions,
): Promise<{ publicPort: number; internalPort: number }> {
  const { config, lifecycle, log, metrics, internalTokens } = context;
  const common = {
    service: 'gateway',
    log,
    metrics,
    // Without Redis, which is optional: limits fall back to local ones.
    readiness: createMigrationCheck(context.prisma, MIGRATIONS),
  };
  const inside = createApp({ ...common, internalTokens });
  mountWorkspaceSettings(inside, context);
  mountSecrets(inside, context);
  const outside = createPublicApp(context, common, downloads);

  startJobs(context);
  const on = { host: config.HOST, drainMs: config.STOP_DRAIN_MS };
  const internal = await listen(inside, { ...on, port: config.INTERNAL_PORT }, lifecycle);
  const trust = trustOf(outside);
  const connections = {
    max: config.MAX_CONNECTIONS,
    perNetwork: config.CONNECTIONS_PER_ADDRESS,
    networkOf,
    isShared: (address: string) => trust(address, 0),
  };
  const onWebSocket = createForwardAudio({
    ...context,
    openLimits: openLimitsOf(config),
    trust,
    telephonyUrl: config.TELEPHONY_URL,
  });
  const onPublic = { ...on, port: config.PORT, maxHeaderBytes: MAX_HEADER_BYTES, connections, onWebSocket };
  const { port } = await listen(outside, onPublic, lifecycle);
  log.info({ port, internalPort: internal.port }, 'gateway is listening');
  return { publicPort: port, internalPort: internal.port };
}

type CommonOptions = Pick<Parameters<typeof createApp>[0], 'service' | 'log' | 'metrics' | 'readiness'>;

function createPublicApp(context: Context, common: CommonOptions, downloads?: DownloadOptions): App {
  const { config } = context;
  const { PUBLIC_URL: publicUrl, KEY_PEPPER: peppers } = config;
  const [pepper] = peppers;
  const sessionLife = sessionLifeOf(config);
  const signInLimits = { perAddressAndMinute: config.SIGN_INS_PER_ADDRESS_AND_MINUTE };
  const app: App = createApp({
    ...common,
    reads: readLimitsOf(config),
    probes: false,
    headers: securityHeaders(publicUrl),
    malformedHeaders: MALFORMED_HEADERS,
    idempotencyStore: context.idempotencyStore,
    continuesTrace: ({ socket }) => trustOf(app)(socket.remoteAddress ?? '', 0),
    authenticate: (req, endpoint) => admitRouted({ ...context, admission }, req, endpoint),
    admitAnonymous: (req) => guardAnonymous({ ...context, signInLimits, pepper }, req as Request),
    beforeBody: context.turns.leave,
  });
  app.express.set('trust proxy', config.TRUSTED_PROXIES);
  const hashOf = createKeyHashes(peppers);
  const trust = trustOf(app);
  const admission = createAdmission({
    ...context,
    pepper,
    hashOf,
    limits: requestLimitsOf(config),
    sessionLife,
    publicUrl,
    trust,
  });
  const dashboard = {
    ...context,
    pepper,
    peppers,
    admission,
    sessionLife,
    publicUrl,
    invitationDays: config.INVITATION_DAYS,
    passwordSignIn: config.PASSWORD_SIGN_IN,
    signInLimits,
  };
  mountOpenApi(app, publicUrl);
  mountReference(app);
  mountWidget(app, { isDevelopment: config.NODE_ENV !== 'production', demoFile: config.DEMO_FILE });
  mountEvents(app, { ...dashboard, maxEventStreams: config.MAX_EVENT_STREAMS });
  mountDashboard(app, { folder: config.DASHBOARD_DIR, publicUrl });
  mountSessions(app, dashboard);
  mountSecondFactor(app, dashboard);
  mountSingleSignOn(app, {
    ...dashboard,
    groupGrants: config.OIDC_GROUPS,
    sendsMail: context.mails !== undefined,
  });
  mountMail(app, dashboard);
  mountMembers(app, dashboard);
  mountKeys(app, dashboard);
  mountWorkspace(app, { ...dashboard, currency: config.CURRENCY });
  mountErasure(app, { ...context, telephony: context.clients.telephony });
  mountAuditLog(app, context);
  mountAttention(app, context);
  const routed = mountPublicRoutes(app, {
    ...context,
    admission,
    concurrentReads: createConcurrentReads(downloads),
    openLimits: openLimitsOf(config),
  });
  return inTurns(routed, {
    ...context,
    shareOf: createShareOfRequest({ ...context, hashOf, sessionLife, pepper, trust }),
  });
}

const trustOf = (app: App): Trust => app.express.get('trust proxy fn');

function requestLimitsOf(config: Config) {
  return {
    burst: config.RATE_LIMIT_BURST,
    callsPerSecond: config.CALL_RATE_LIMIT_PER_SECOND,
    callBurst: config.CALL_RATE_LIMIT_BURST,
    webhookTestsPerMinute: config.WEBHOOK_TESTS_PER_MINUTE,
    testTurnsPerMinute: config.TEST_TURNS_PER_MINUTE,
    uploadMibPerMinute: config.UPLOAD_MIB_PER_MINUTE,
    maxStoredMb: config.STORED_MB_PER_WORKSPACE ?? null,
  };
}

function openLimitsOf(config: Config) {
  return {
    perAddressAndMinute: config.OPEN_REQUESTS_PER_MINUTE,
    perLinkAndMinute: config.LINK_REQUESTS_PER_MINUTE,
    burst: config.RATE_LIMIT_BURST,
  };
}

/** `mount` types requests as Node's, but routed ones have passed through Express. */
async function admitRouted(
  context: Pick<Context, 'noteChange' | 'clock'> & { admission: Admission },
  req: IncomingMessage,
  endpoint: AnyEndpoint,
): Promise<Auth> {
  const request = req as Request;
  if (!request.res) throw new Error('a routed request has a response');
  const auth = await context.admission.admit(request, request.res, endpoint);
  noteWhenChanged(context, request.res, { endpoint, auth });
  return auth;
}
