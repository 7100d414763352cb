import { AppError } from '@parley/kit/errors';
import type { KnownSession } from '../sessions/sessions.store.ts';
import type { PasswordDeps } from './check-password.ts';

/**
 * Confirms the password of a signed-in person. Throws `FORBIDDEN` for a wrong one, counted for this session only, so that
 * guesses elsewhere never delay a signed-in person.
 */
export async function requirePassword(
  { people, passwords, guesses }: PasswordDeps,
  { id, personId, email }: KnownSession,
  password: string,
): Promise<void> {
  const guesser = [{ kind: 'session', of: id }];
  await guesses.reserve(guesser);
  let isRight: boolean;
  try {
    const stored = await people.find(personId);
    const hashes = stored?.passwordHash ? [stored.passwordHash] : [];
    isRight =
      (await passwords.matching(password, hashes, { lane: `person ${personId}`, isKnown: true, email }))
        .length > 0;
  } catch (err) {
    await guesses.takeBack(guesser);
    throw err;
  }
  if (!isRight) {
    await guesses.countWrong(personId);
    throw new AppError('FORBIDDEN', 'The password is wrong');
  }
  await guesses.right(guesser);
}
