import { createHmac } from 'node:crypto';
import { AppError } from '@parley/kit/errors';
import { realNow } from '@parley/kit/time';
import { z } from 'zod';
import { isSameToken } from '../sessions/tokens.ts';

/** Proves a correct password while the code is missing; valid for five minutes and one session. */
export type Challenge = { personId: string; workspaceId: string | null };

/** Recorded in the session that the challenge opened. */
export type UsedChallenge = { mac: string; expiresAt: Date };

export const CHALLENGE_MS = 5 * 60_000;

const claims = z.object({ person: z.uuid(), workspace: z.uuid().nullable(), until: z.number() });

/** Bound to the password hash, so that a new password invalidates it. Challenges are only stored once they are used. */
const macOf = (body: string, passwordHash: string, pepper: string): string =>
  createHmac('sha256', pepper).update(`challenge ${body} ${passwordHash}`).digest('base64url');

export function issueChallenge(
  { personId, workspaceId }: Challenge,
  passwordHash: string,
  pepper: string,
): string {
  const until = realNow().getTime() + CHALLENGE_MS;
  const body = Buffer.from(JSON.stringify({ person: personId, workspace: workspaceId, until })).toString(
    'base64url',
  );
  return `${body}.${macOf(body, passwordHash, pepper)}`;
}

/** The claims of a challenge; trust them only if `isGenuine` confirms them for the password hash. */
export function readChallenge(
  token: string,
): (Challenge & { isGenuine: IsGenuine; used: UsedChallenge }) | undefined {
  const [body = '', mac = ''] = token.split('.');
  const parsed = claims.safeParse(parseJson(body));
  if (!parsed.success || parsed.data.until <= realNow().getTime()) return undefined;
  const { person, workspace, until } = parsed.data;
  const isGenuine: IsGenuine = (passwordHash, pepper) => isSameToken(mac, macOf(body, passwordHash, pepper));
  const used = { mac, expiresAt: new Date(until) };
  return { personId: person, workspaceId: workspace, isGenuine, used };
}

export function passwordFirst(): AppError {
  return new AppError('UNAUTHORIZED', 'Sign in with the password first');
}

type IsGenuine = (passwordHash: string, pepper: string) => boolean;

function parseJson(body: string): unknown {
  try {
    return JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
