import { AppError } from '@parley/kit/errors';
import type { Guesser, GuessLimit } from '../limits/limit-guesses.ts';
import { guessNetworkOf } from '../limits/networks.ts';
import type { PeopleStore, Person } from '../people/people.store.ts';
import type { Device } from './devices.ts';
import type { HashingFor, Passwords } from './password.ts';

export type PasswordDeps = { people: PeopleStore; passwords: Passwords; guesses: GuessLimit };

/** The origin of a password, for counting wrong ones [access.10]. */
export type GuessedFrom = {
  address: string;
  /** The accounts that have signed in from this browser. */
  devices: readonly Device[];
};

type Account = Person & { passwordHash: string };
type Candidate = Guesser & { person: Account | undefined };

/**
 * Returns the given accounts whose password matches. Throws `UNAUTHORIZED` if none does, and `RATE_LIMITED` for a
 * network or browser with too many wrong passwords. An address without an account takes as long and is counted in
 * the same way.
 */
export async function checkPassword(
  deps: PasswordDeps,
  { email, password, accounts }: { email: string; password: string; accounts: readonly Person[] },
  from: GuessedFrom,
): Promise<Person[]> {
  const { passwords, guesses } = deps;
  const withPassword = accounts.filter(hasPassword);
  const allowed = await guesses.reserve(candidatesOf(email, withPassword, from));
  const people = allowed.flatMap(({ person }) => person ?? []);
  let right: number[];
  let hashing: Awaited<ReturnType<typeof hashingFor>>;
  try {
    hashing = await hashingFor(deps, email, withPassword, from);
    const stored = people.map(({ passwordHash }) => passwordHash);
    right = await passwords.matching(password, stored, hashing);
  } catch (err) {
    // The password was not checked, for instance because the queue is full.
    await guesses.takeBack(allowed);
    throw err;
  }
  const found = right.flatMap((i) => people[i] ?? []);
  if (found.length === 0) {
    await Promise.all(withPassword.map(({ id }) => guesses.countWrong(id)));
    throw wrongPassword();
  }
  const isRight = ({ person }: Candidate): boolean => person !== undefined && found.includes(person);
  await guesses.right(allowed.filter(isRight));
  // The password matches another account of the address, so it is not a guess at these.
  await guesses.takeBack(allowed.filter((candidate) => !isRight(candidate)));
  return Promise.all(found.map((person) => renew(deps, person, password, hashing)));
}

const hasPassword = (person: Person): person is Account => person.passwordHash !== null;

function candidatesOf(
  email: string,
  accounts: readonly Account[],
  { address, devices }: GuessedFrom,
): Candidate[] {
  const network = guessNetworkOf(address);
  if (accounts.length === 0) return [{ kind: 'address', of: `${email} ${network}`, person: undefined }];
  return accounts.map((person) => {
    const device = devices.find(({ personId }) => personId === person.id);
    if (device) return { kind: 'device', of: device.id, person };
    return { kind: 'account', of: `${person.id} ${network}`, person };
  });
}

/** Browsers and networks that an account has signed in from go first: guesses by others never keep them waiting. */
async function hashingFor(
  { people }: PasswordDeps,
  email: string,
  accounts: readonly Account[],
  { address, devices }: GuessedFrom,
): Promise<HashingFor> {
  const lane = guessNetworkOf(address);
  const ids = accounts.map(({ id }) => id);
  const device = devices.find(({ personId }) => ids.includes(personId));
  if (device) return { lane: `device ${device.id}`, isKnown: true, email };
  const isKnown = (await people.addressesOf(ids)).some((one) => guessNetworkOf(one) === lane);
  return { lane: isKnown ? `${email} ${lane}` : lane, isKnown, email };
}

/** Rehashes with the current cost and salt: only now is the password available. */
async function renew(
  { people, passwords }: PasswordDeps,
  person: Account,
  password: string,
  hashing: HashingFor,
): Promise<Person> {
  if (!passwords.isOutdated(person.passwordHash, person.email)) return person;
  const passwordHash = await passwords.hash(password, hashing);
  // A concurrent request has changed the hash or the password: the stored one decides.
  if (await people.rehashPassword(person, passwordHash)) return { ...person, passwordHash };
  const now = await people.find(person.id);
  const stored = now?.passwordHash ? [now.passwordHash] : [];
  const [isStill] = await passwords.matching(password, stored, hashing);
  if (!now || isStill === undefined) throw wrongPassword();
  return now;
}

export function wrongPassword(): AppError {
  return new AppError('UNAUTHORIZED', 'The e-mail address or the password is wrong');
}
