import type { NoteChange } from '@parley/kit/amqp';
import { AppError } from '@parley/kit/errors';
import { type Auth, contextOf } from '@parley/kit/http';
import type { Request } from 'express';
import { type Admission, openSessionOf } from '../access/admission.ts';
import type { CheckSettingsDeps } from '../keys/check-settings.ts';
import type { PublicKeyDefaults } from '../keys/key-settings.ts';
import { limitSignIn, type SignInLimits } from '../limits/limit-anonymous.ts';
import { delaying } from '../limits/slow-refusals.ts';
import type { AccountChange, Changer } from '../people/changes.ts';
import type { MemberDeps } from '../people/members.ts';
import { deviceCookie, isCrossSite, sessionCookie } from '../sign-in/cookies.ts';
import { readDevices, rememberDevice } from '../sign-in/devices.ts';
import type { SecondFactorStore } from '../sign-in/second-factors.store.ts';
import type { SignInLinkStore } from '../sign-in/sign-in-links.store.ts';
import type { Turns } from '../turns/turns.ts';
import type { WorkspaceStore } from '../workspaces/workspaces.store.ts';
import type { OpenSession, Origin, SessionDeps } from './sessions.ts';

export type DashboardDeps = SessionDeps &
  MemberDeps &
  CheckSettingsDeps & {
    admission: Admission;
    noteChange: NoteChange;
    workspaces: WorkspaceStore;
    keyDefaults: PublicKeyDefaults;
    signInLimits: SignInLimits;
    secondFactors: SecondFactorStore;
    signInLinks: SignInLinkStore;
    /** The first is `pepper`. */
    peppers: readonly [string, ...string[]];
    passwordSignIn: boolean;
    publicUrl: string | undefined;
  };

export function originOf({ admission, pepper }: DashboardDeps, req: Request): Origin {
  return {
    address: req.ip ?? '',
    devices: readDevices(deviceCookie.read(req), pepper),
    userAgent: req.get('user-agent') ?? '',
    formerToken: sessionCookie.read(req, admission.isSecure(req)),
  };
}

/**
 * Runs before the body of a sign-in or an invitation is read: rejects pages of other sites, and counts every attempt for its
 * address, also one with an invalid body.
 */
export async function guardAnonymous(
  {
    limiter,
    turns,
    signInLimits,
    pepper,
  }: Pick<DashboardDeps, 'limiter' | 'signInLimits' | 'pepper'> & { turns: Pick<Turns, 'leave'> },
  req: Request,
): Promise<void> {
  // A GET comes from the redirect of the single sign-on provider, and is protected by its cookie.
  if (req.method !== 'GET' && isCrossSite(req))
    throw new AppError('FORBIDDEN', 'Cross-origin requests to this endpoint are not allowed');
  const [device] = readDevices(deviceCookie.read(req), pepper);
  const delayed = delaying(limiter, () => req.res && turns.leave(req.res));
  await limitSignIn(delayed, { address: req.ip ?? '', account: device?.personId }, signInLimits);
}

/** Sets the cookie of the session, and the cookie that marks this browser as known to the account. */
export function setSessionCookies(
  { admission, clock, sessionLife, pepper }: DashboardDeps,
  req: Request,
  { token, session }: OpenSession,
): void {
  if (!req.res) throw new Error('a request without a response');
  const isSecure = admission.isSecure(req);
  sessionCookie.set(req.res, token, isSecure, clock.toRealMs(sessionLife.absoluteMs));
  deviceCookie.set(req.res, rememberDevice(deviceCookie.read(req), session.personId, pepper), isSecure);
}

/** Throws `FORBIDDEN` if the operator has turned off passwords. */
export function requirePasswords({ passwordSignIn }: DashboardDeps): void {
  if (!passwordSignIn)
    throw new AppError('FORBIDDEN', 'Sign in by single sign-on: GET /dashboard/api/oidc/start');
}

/** The gateway's public base URL: as configured, otherwise the one that this request used. */
export function publicUrlOf({ publicUrl, admission }: DashboardDeps, req: Request): string {
  return publicUrl ?? `${admission.isSecure(req) ? 'https' : 'http'}://${req.host}`;
}

/** The origin of a change, for the audit log. */
export const changedFrom = (req: Request, { address }: Auth) => ({
  requestId: contextOf(req).requestId,
  ...(address ? { address } : {}),
});

/** The person of the session as the author of a change to their own account. */
export const accountChangeOf = (req: Request, auth: Auth): AccountChange => ({
  kind: 'person',
  ...changedFrom(req, auth),
});

/** The member of the selected workspace as the author of a change. */
export function changerOf(req: Request, auth: Auth): { workspaceId: string; by: Changer } {
  const { email } = openSessionOf(req).session;
  return {
    workspaceId: auth.workspaceId,
    by: { kind: 'member', memberId: auth.actor.id, email, ...changedFrom(req, auth) },
  };
}
