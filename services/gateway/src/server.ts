import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { AnyEndpoint } from '@parley/contracts';
import { type Auth, createApp, listen } from '@parley/kit/http';
import { createMigrationCheck } from '@parley/kit/migrations';
import type { Request } from 'express';
import type { Context } from './context.ts';
import { rememberHashes } from './domain/keys/remember-hashes.ts';
import { startJobs } from './jobs.ts';
import { type Admission, createAdmission } from './routes/admission.ts';
import { mountKeys } from './routes/dashboard/keys.ts';
import { mountMembers } from './routes/dashboard/members.ts';
import { mountSessions } from './routes/dashboard/sessions.ts';
import { mountOpenApi } from './routes/open-api.ts';
import { mountPublicRoutes } from './routes/public-routes.ts';
import { mountReference } from './routes/reference.ts';
import { mountSecrets } from './routes/secrets.ts';
import { SECURITY_HEADERS } from './routes/security-headers.ts';
import { mountWorkspaceSettings } from './routes/workspace-settings.ts';
import { sessionLifeOf } from './session-life.ts';

/** Of a client's head (a service takes more: the gateway adds its own). */
const MAX_HEADER_BYTES = 16 * 1024;
const MIGRATIONS = fileURLToPath(new URL('../prisma/migrations', import.meta.url));

/** Opens both doors: the public one, and the internal one for other services, probes and metrics. */
export async function startServers(context: Context): Promise<{ publicPort: number; internalPort: number }> {
  const { config, lifecycle, log, metrics, internalTokens } = context;
  // Redis may be away: limits fall back to local ones.
  const common = {
    service: 'gateway',
    log,
    metrics,
    readiness: createMigrationCheck(context.prisma, MIGRATIONS),
  };

  const inside = createApp({ ...common, internalTokens });
  mountWorkspaceSettings(inside, context);
  mountSecrets(inside, context);

  const publicUrl = config.PUBLIC_URL;
  const sessionLife = sessionLifeOf(config);
  const pepper = config.KEY_PEPPER;
  const outside = createApp({
    ...common,
    probes: false,
    headers: SECURITY_HEADERS,
    idempotencyStore: context.idempotencyStore,
    authenticate: (req, endpoint) => admitRouted(admission, req, endpoint),
  });
  outside.express.set('trust proxy', config.TRUSTED_PROXIES);
  const admission = createAdmission({
    ...context,
    pepper,
    hashOf: rememberHashes(pepper),
    limits: limitsOf(config),
    sessionLife,
    publicUrl,
    trust: outside.express.get('trust proxy fn'),
  });
  mountOpenApi(outside);
  mountReference(outside);
  const dashboard = {
    ...context,
    pepper,
    admission,
    sessionLife,
    publicUrl,
    invitationDays: config.INVITATION_DAYS,
    signInLimits: signInLimitsOf(config),
  };
  mountSessions(outside, dashboard);
  mountMembers(outside, dashboard);
  mountKeys(outside, dashboard);
  mountPublicRoutes(outside, { ...context, admission, openLimits: openLimitsOf(config) });

  startJobs(context);
  const on = { host: config.HOST, drainMs: config.STOP_DRAIN_MS };
  const internal = await listen(inside, { ...on, port: config.INTERNAL_PORT }, lifecycle);
  const door = await listen(
    outside,
    { ...on, port: config.PORT, maxHeaderBytes: MAX_HEADER_BYTES },
    lifecycle,
  );
  log.info({ port: door.port, internalPort: internal.port }, 'gateway is listening');
  return { publicPort: door.port, internalPort: internal.port };
}

function limitsOf(config: Context['config']) {
  return {
    burst: config.RATE_LIMIT_BURST,
    callsPerSecond: config.CALL_RATE_LIMIT_PER_SECOND,
    callBurst: config.CALL_RATE_LIMIT_BURST,
    webhookTestsPerMinute: config.WEBHOOK_TESTS_PER_MINUTE,
  };
}

function openLimitsOf(config: Context['config']) {
  return {
    perAddressAndMinute: config.OPEN_REQUESTS_PER_MINUTE,
    perLinkAndMinute: config.LINK_REQUESTS_PER_MINUTE,
    burst: config.RATE_LIMIT_BURST,
  };
}

function signInLimitsOf(config: Context['config']) {
  return {
    perAddressAndMinute: config.SIGN_INS_PER_ADDRESS_AND_MINUTE,
    perAccountAndMinute: config.SIGN_INS_PER_ACCOUNT_AND_MINUTE,
  };
}

/** `mount` knows requests by Node's type; what comes here has passed Express. */
function admitRouted(admission: Admission, req: IncomingMessage, endpoint: AnyEndpoint): Promise<Auth> {
  const request = req as Request;
  if (!request.res) throw new Error('a request without an answer');
  return admission.admit(request, request.res, endpoint);
}
