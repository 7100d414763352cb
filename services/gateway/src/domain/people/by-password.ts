import { AppError } from '@parley/kit/errors';
import type { Passwords } from './password.ts';
import type { PeopleStore, Person } from './ports.ts';

type Deps = { people: PeopleStore; passwords: Passwords };

/**
 * Whose address and password these are. An unknown address takes as long as a wrong password. A hash that was made at another cost
 * than today's is made anew, since this is the one moment at which the password is here.
 */
export async function findByPassword(
  { people, passwords }: Deps,
  email: string,
  password: string,
): Promise<Person | undefined> {
  const person = await people.findByEmail(email);
  const isRight = await passwords.verify(password, person?.passwordHash);
  if (!person || !isRight) return undefined;
  if (!passwords.isOutdated(person.passwordHash)) return person;
  const passwordHash = await passwords.hash(password);
  if (await people.renewPassword(person, passwordHash)) return { ...person, passwordHash };
  // Somebody was faster, by signing in or with a new password: that one counts.
  return findByPassword({ people, passwords }, email, password);
}

export function wrongPassword(): AppError {
  return new AppError('UNAUTHORIZED', 'The e-mail address or the password is wrong');
}
