import { createHmac } from 'node:crypto';
import { realNow } from '@parley/kit/time';
import { z } from 'zod';
import { isSameToken } from '../sessions/tokens.ts';

/** The password was right, and a code is missing; valid for five minutes. */
export type Challenge = { personId: string; workspaceId: string | null };

export const CHALLENGE_MS = 5 * 60_000;

const claims = z.object({ person: z.uuid(), workspace: z.uuid().nullable(), until: z.number() });

/** Bound to the password hash, so that a new password voids it. Challenges are stored nowhere. */
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
export function readChallenge(token: string): (Challenge & { isGenuine: IsGenuine }) | undefined {
  const [body = '', mac = ''] = token.split('.');
  const parsed = claims.safeParse(parseJson(body));
  if (!parsed.success || parsed.data.until <= realNow().getTime()) return undefined;
  const { person, workspace } = parsed.data;
  const isGenuine: IsGenuine = (passwordHash, pepper) => isSameToken(mac, macOf(body, passwordHash, pepper));
  return { personId: person, workspaceId: workspace, isGenuine };
}

type IsGenuine = (passwordHash: string, pepper: string) => boolean;

function parseJson(body: string): unknown {
  try {
    return JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
