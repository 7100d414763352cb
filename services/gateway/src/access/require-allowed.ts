import { type AnyEndpoint, isAtLeast } from '@parley/contracts';
import { AppError, conflict } from '@parley/kit/errors';
import { NO_WORKSPACE, requirePermission } from '@parley/kit/http';
import { type Cidr, isInside, parseAddress } from '@parley/kit/outbound';
import ipaddr from 'ipaddr.js';
import { isAllowedOrigin } from '../keys/match-origin.ts';
import type { KnownSession } from '../sessions/sessions.store.ts';
import type { Caller } from './authenticate-caller.ts';

/** The client address, and the origin of the page that sent the request, according to the browser. */
export type RequestOrigin = { address: string; origin: string | undefined };

type RestrictedKey = NonNullable<Caller['key']>;

/** `403 FORBIDDEN` for a key that may not be used from there [trust.7] [trust.9]. */
export function requireKeyHere({ key }: Caller, from: RequestOrigin): void {
  if (!key) return;
  if (!isOfItsPages(key, from))
    throw new AppError(
      'FORBIDDEN',
      `This API key may not be used by ${from.origin === undefined ? 'requests without an Origin' : 'pages of this origin'}`,
    );
  if (!isOfItsNetworks(key, from))
    throw new AppError('FORBIDDEN', 'This API key may not be used from this network');
}

/** Whether `requireKeyHere` passes. */
export function isKeyHere(key: RestrictedKey, from: RequestOrigin): boolean {
  return isOfItsPages(key, from) && isOfItsNetworks(key, from);
}

function isOfItsPages({ settings }: RestrictedKey, { origin }: RequestOrigin): boolean {
  const origins = settings.allowed_origins;
  return !origins || isAllowedOrigin(origin, origins);
}

function isOfItsNetworks({ networks }: RestrictedKey, { address }: RequestOrigin): boolean {
  return !networks || isInNetworks(address, networks);
}

/** Requests that may store large amounts of data, at once or by repetition. */
const UPLOADS = new Set([
  ...['createCampaign', 'appendContacts', 'addDocument'],
  ...['createAssistant', 'patchAssistant', 'replaceAssistant'],
  ...['createCustomTool', 'updateCustomTool', 'createNativeTool', 'updateNativeTool'],
]);

/** `403 FORBIDDEN` for uploads and calls of public keys above the workspace's storage quota [trust.6]. */
export function requireStorage(
  endpoint: AnyEndpoint,
  { limits, key }: Caller,
  ofEachWorkspace: { maxStoredMb: number | null },
): void {
  const quota = limits?.maxStoredMb ?? ofEachWorkspace.maxStoredMb;
  if (!limits || quota === null || limits.storedMb <= quota) return;
  const isPublicCall = endpoint.id === 'createWidgetCall' && key?.type === 'public';
  if (!isPublicCall && !UPLOADS.has(endpoint.id)) return;
  // Visitors of the page see this one: how much the workspace stores does not concern them.
  if (isPublicCall) throw new AppError('FORBIDDEN', 'This workspace has reached its storage quota');
  throw new AppError(
    'FORBIDDEN',
    `This workspace stores ${limits.storedMb} MB, but its quota is ${quota} MB: delete data, or have the quota raised`,
  );
}

/**
 * `403 FORBIDDEN` without permission for an endpoint [access.5], `409 CONFLICT` for a session without a workspace, or with another one
 * than its page shows [dashboard.30].
 */
export function requireAllowed(endpoint: AnyEndpoint, caller: Caller): void {
  const { actor, workspaceId, opened, shownWorkspaceId, limits } = caller;
  const isPersonal = endpoint.access === 'session' && endpoint.role === undefined;
  if (actor.kind === 'member' && workspaceId === NO_WORKSPACE && !isPersonal)
    throw conflict('Select a workspace first: PUT /dashboard/api/session');
  if (opened && !isPersonal && shownWorkspaceId !== undefined && shownWorkspaceId !== workspaceId)
    throw conflict('Another workspace was selected in this session: GET /dashboard/api/session');
  // People may still sign out and see their memberships [trust.24].
  if (limits?.suspendedAt && !isPersonal)
    throw new AppError('FORBIDDEN', 'The workspace is suspended: contact the operator of the platform');
  if (opened && !isPersonal) requireSignInOf(opened.session);
  requirePermission(endpoint, actor);
  // A private key acts as the owner [access.1].
  if (endpoint.role && actor.kind === 'member' && !(actor.role && isAtLeast(actor.role, endpoint.role)))
    throw new AppError('FORBIDDEN', `This requires the role ${endpoint.role} or a higher one`);
}

/** Whether `requireAllowed` still passes: for streams that continue after their request was admitted. */
export function isAllowed(endpoint: AnyEndpoint, caller: Caller): boolean {
  try {
    requireAllowed(endpoint, caller);
    return true;
  } catch (err) {
    if (err instanceof AppError) return false;
    throw err;
  }
}

/** A workspace may require more than a password [access.13]. Single sign-on satisfies a required second factor, which is the
 * provider's responsibility. */
function requireSignInOf({ member, signedInBy }: KnownSession): void {
  if (member?.requires.sso && signedInBy !== 'sso')
    throw new AppError('FORBIDDEN', 'This workspace requires single sign-on: GET /dashboard/api/oidc/start');
  if (member?.requires.secondFactor && (signedInBy === 'password' || signedInBy === 'link'))
    throw new AppError(
      'FORBIDDEN',
      'This workspace requires a second factor: enable one at POST /dashboard/api/second-factor',
    );
}

/** IPv4 addresses also match in the form `::ffff:…`. */
export function isInNetworks(address: string, networks: readonly Cidr[]): boolean {
  const parsed = parseAddress(address);
  if (!parsed) return false;
  const isMapped = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress();
  const plain = isMapped ? parsed.toIPv4Address() : parsed;
  return networks.some((network) => isInside(plain, network));
}
