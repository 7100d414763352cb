import { AppError } from '@parley/kit/errors';
import { createApp, listen } from '@parley/kit/http';
import type { Context } from './context.ts';
import { startJobs } from './jobs.ts';
import { mountOpenApi } from './routes/open-api.ts';
import { mountPublicRoutes } from './routes/public-routes.ts';
import { mountReference } from './routes/reference.ts';
import { mountSecrets } from './routes/secrets.ts';
import { SECURITY_HEADERS } from './routes/security-headers.ts';
import { mountWorkspaceSettings } from './routes/workspace-settings.ts';

/** Opens both doors: the public one, and the internal one for other services, probes and metrics. */
export async function startServers(context: Context): Promise<{ publicPort: number; internalPort: number }> {
  const { config, lifecycle, log, metrics, internalTokens } = context;
  const common = { service: 'gateway', log, metrics, readiness: () => readiness(context) };

  const inside = createApp({ ...common, internalTokens });
  mountWorkspaceSettings(inside, context);
  mountSecrets(inside, context);

  const headers = SECURITY_HEADERS;
  const outside = createApp({ ...common, probes: false, headers, authenticate: refuseUnforwarded });
  mountOpenApi(outside);
  mountReference(outside);
  outside.express.set('trust proxy', config.TRUSTED_PROXIES);
  mountPublicRoutes(outside, {
    ...context,
    pepper: config.KEY_PEPPER,
    limits: limitsOf(config),
    openLimits: openLimitsOf(config),
  });

  startJobs(context);
  const internal = await listen(inside, { host: config.HOST, port: config.INTERNAL_PORT }, lifecycle);
  const door = await listen(outside, { host: config.HOST, port: config.PORT }, lifecycle);
  log.info({ port: door.port, internalPort: internal.port }, 'gateway is listening');
  return { publicPort: door.port, internalPort: internal.port };
}

/** Redis may be away: limits fall back to local ones. */
async function readiness({ prisma }: Context): Promise<void> {
  await prisma.$queryRaw`SELECT 1`;
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

/** Forwarded routes ask for the key themselves, and nothing else on the public door wants to know who asks. */
function refuseUnforwarded(): never {
  throw new AppError('UNAUTHORIZED', 'Send your private API key as Authorization: Bearer <API_KEY>');
}
