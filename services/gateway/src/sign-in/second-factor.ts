import { AppError, conflict } from '@parley/kit/errors';
import { realNow } from '@parley/kit/time';
import type { Guesser } from '../limits/limit-guesses.ts';
import type { AccountChange } from '../people/changes.ts';
import type { KnownSession } from '../sessions/sessions.store.ts';
import type { OpenSession, Origin, SessionDeps } from '../sessions/sessions.ts';
import { openSession } from '../sessions/sessions.ts';
import { hashToken } from '../sessions/tokens.ts';
import { passwordFirst, readChallenge } from './challenge.ts';
import { requirePassword } from './own-password.ts';
import type { SecondFactorStore } from './second-factors.store.ts';
import { newRecoveryCodes, newTotpSecret, normalizeRecoveryCode, otpauthUri, stepOfCode } from './totp.ts';

export type SecondFactorDeps = SessionDeps & CodeDeps;

/** `peppers`: the first is that of new recovery codes. */
type CodeDeps = { secondFactors: SecondFactorStore; peppers: readonly [string, ...string[]] };

/** Accepts a code of the app or a recovery code, each once over all replicas. */
async function useCode(
  { secondFactors, peppers }: CodeDeps,
  personId: string,
  code: string,
): Promise<boolean> {
  const factor = await secondFactors.find(personId);
  if (!factor?.enabledAt) return false;
  const step = stepOfCode(factor.secret, code.replaceAll(' ', ''), realNow());
  if (step !== undefined) return secondFactors.useStep(personId, step);
  const hashes = peppers.map((pepper) => hashOf(code, personId, pepper));
  return secondFactors.useRecoveryCode(personId, hashes);
}

/** Throws `UNAUTHORIZED` for a wrong or used code, and `RATE_LIMITED` for too many of them. */
async function requireCode(
  deps: CodeDeps & Pick<SecondFactorDeps, 'guesses'>,
  personId: string,
  code: string,
  guesser: Guesser,
): Promise<void> {
  await deps.guesses.reserve([guesser]);
  let isRight: boolean;
  try {
    isRight = await useCode(deps, personId, code);
  } catch (err) {
    await deps.guesses.takeBack([guesser]);
    throw err;
  }
  if (!isRight) throw new AppError('UNAUTHORIZED', 'The code is wrong or was used before');
  await deps.guesses.right([guesser]);
}

/**
 * The second step of a sign-in. A guesser of codes already has the password, so wrong codes are counted for the whole
 * account, or for a browser that it has signed in from before. A challenge opens one session.
 */
export async function finishSignIn(
  deps: SecondFactorDeps,
  { challenge, code }: { challenge: string; code: string },
  origin: Origin,
): Promise<OpenSession> {
  const shown = readChallenge(challenge);
  const person = shown && (await deps.people.find(shown.personId));
  if (!person?.passwordHash || !shown?.isGenuine(person.passwordHash, deps.pepper)) throw passwordFirst();
  const device = origin.devices.find(({ personId }) => personId === person.id);
  const guesser = device ? { kind: 'code by device', of: device.id } : { kind: 'code', of: person.id };
  await requireCode(deps, person.id, code, guesser);
  return openSession(deps, person, shown.workspaceId, origin, shown.used);
}

export async function readSecondFactor(
  { secondFactors }: Pick<SecondFactorDeps, 'secondFactors'>,
  { personId }: KnownSession,
) {
  const factor = await secondFactors.find(personId);
  const isEnabled = Boolean(factor?.enabledAt);
  return {
    is_enabled: isEnabled,
    enabled_at: factor?.enabledAt?.toISOString() ?? null,
    recovery_codes_left: isEnabled ? (factor?.codesLeft ?? 0) : 0,
  };
}

/** Returns a new secret, which `enableSecondFactor` activates. */
export async function beginSecondFactor(deps: SecondFactorDeps, session: KnownSession, password: string) {
  await requirePassword(deps, session, password);
  const secret = newTotpSecret();
  if (!(await deps.secondFactors.begin(session.personId, secret)))
    throw conflict('A second factor is already enabled: disable it first');
  return { secret, otpauth_uri: otpauthUri(secret, session.email) };
}

export async function enableSecondFactor(
  deps: SecondFactorDeps,
  session: KnownSession,
  code: string,
  by: AccountChange,
) {
  const { secondFactors, guesses, pepper } = deps;
  const { personId, id: sessionId } = session;
  const guesser = codesOf(session);
  await guesses.reserve([guesser]);
  const factor = await secondFactors.find(personId);
  if (!factor || factor.enabledAt) {
    await guesses.takeBack([guesser]);
    throw conflict(
      factor ? 'A second factor is already enabled' : 'Start with POST /dashboard/api/second-factor',
    );
  }
  const step = stepOfCode(factor.secret, code.replaceAll(' ', ''), realNow());
  if (step === undefined) throw new AppError('FORBIDDEN', 'The code is wrong');
  const codes = newRecoveryCodes();
  const codeHashes = codes.map((one) => hashOf(one, personId, pepper));
  const { sealed } = factor;
  if (!(await secondFactors.enable(personId, { sealed, step, codeHashes, sessionId }, by)))
    throw conflict('The second factor has been replaced by a newer one');
  await guesses.right([guesser]);
  return { recovery_codes: codes };
}

type Shown = { password: string; code: string };

/** Replaces all remaining codes. */
export async function renewRecoveryCodes(
  deps: SecondFactorDeps,
  session: KnownSession,
  shown: Shown,
  by: AccountChange,
) {
  await requireBoth(deps, session, shown);
  const codes = newRecoveryCodes();
  const hashes = codes.map((one) => hashOf(one, session.personId, deps.pepper));
  await deps.secondFactors.replaceRecoveryCodes(session.personId, hashes, by);
  return { recovery_codes: codes };
}

export async function disableSecondFactor(
  deps: SecondFactorDeps,
  session: KnownSession,
  shown: Shown,
  by: AccountChange,
): Promise<void> {
  await requireBoth(deps, session, shown);
  await deps.secondFactors.remove(session.personId, by);
}

async function requireBoth(deps: SecondFactorDeps, session: KnownSession, { password, code }: Shown) {
  await requirePassword(deps, session, password);
  try {
    await requireCode(deps, session.personId, code, codesOf(session));
  } catch (err) {
    // The session is valid, so it is not 401.
    if (err instanceof AppError && err.code === 'UNAUTHORIZED') throw new AppError('FORBIDDEN', err.message);
    throw err;
  }
}

const codesOf = ({ id }: KnownSession): Guesser => ({ kind: 'code of session', of: id });

function hashOf(code: string, personId: string, pepper: string): string {
  return hashToken('recovery code', `${personId} ${normalizeRecoveryCode(code)}`, pepper);
}
