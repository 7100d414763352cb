import { AppError } from '@parley/kit/errors';
import type { Auth } from '@parley/kit/http';
import type { Request } from 'express';
import type { Limiter } from '../../domain/limits/bucket.ts';
import { limitSignIn, type SignInLimits } from '../../domain/limits/limit-open.ts';
import type { Changer } from '../../domain/people/changer.ts';
import type { MemberDeps } from '../../domain/people/members.ts';
import type { Opened, Origin, SessionDeps } from '../../domain/people/sessions.ts';
import type { WorkspaceStore } from '../../domain/workspaces/ports.ts';
import { type Admission, openedBy } from '../admission.ts';
import { isForeign, readSessionCookie, setSessionCookie } from '../session-cookie.ts';

export type DashboardDeps = SessionDeps &
  MemberDeps & {
    admission: Admission;
    workspaces: WorkspaceStore;
    limiter: Limiter;
    signInLimits: SignInLimits;
    publicUrl: string | undefined;
  };

export function originOf({ admission }: DashboardDeps, req: Request): Origin {
  return {
    address: req.ip ?? '',
    userAgent: req.get('user-agent') ?? '',
    formerToken: readSessionCookie(req, admission.isSecure(req)),
  };
}

/** Before anything is guessed at: no other site's page signs anybody in, and nobody tries for ever. */
export async function guardStranger(
  { limiter, signInLimits }: DashboardDeps,
  req: Request,
  account: string | undefined,
): Promise<void> {
  if (isForeign(req)) throw new AppError('FORBIDDEN', 'This is for pages of the dashboard alone');
  await limitSignIn(limiter, { address: req.ip ?? '', account }, signInLimits);
}

export function handOut(
  { admission, clock, sessionLife }: DashboardDeps,
  req: Request,
  { token }: Opened,
): void {
  if (!req.res) throw new Error('a request without an answer');
  setSessionCookie(req.res, token, admission.isSecure(req), clock.toRealMs(sessionLife.absoluteMs));
}

/** Who of the picked workspace asks. */
export function changerOf(req: Request, auth: Auth): { workspaceId: string; by: Changer } {
  const { email } = openedBy(req).session;
  return {
    workspaceId: auth.workspaceId,
    by: { kind: 'member', memberId: auth.actor.id, email },
  };
}
