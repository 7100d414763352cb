import { AppError, conflict, notFound } from '@parley/kit/errors';
import type { Clock } from '@parley/kit/time';
import type { Limiter } from '../limits/bucket.ts';
import { limitByHour } from '../limits/limit-anonymous.ts';
import { guessNetworkOf } from '../limits/networks.ts';
import type { KnownSession } from '../sessions/sessions.store.ts';
import { hashToken, newToken } from '../sessions/tokens.ts';
import type { Passwords } from '../sign-in/password.ts';
import type { MailTokenStore } from './mail-tokens.store.ts';
import type { MailQueue } from './mails.store.ts';

export type MailDeps = {
  /** Undefined: no mail server is configured. */
  mails: MailQueue | undefined;
  mailTokens: MailTokenStore;
  passwords: Passwords;
  limiter: Limiter;
  pepper: string;
  clock: Clock;
};

const PROOF_MS = 24 * 3_600_000;
/** Per kind and address: password resets need no session and must not use up the proofs. */
export const MAILS_PER_HOUR = 5;
/** To all addresses together: one network can neither flood mailboxes nor fill the queue. */
const RESETS_PER_NETWORK_AND_HOUR = 30;

function requireMail({ mails }: MailDeps): MailQueue {
  if (!mails) throw conflict('This installation sends no mail: ask the operator');
  return mails;
}

/** Mails a link that only the account of this session can use. */
export async function mailProof(deps: MailDeps, session: KnownSession, baseUrl: string): Promise<void> {
  const mails = requireMail(deps);
  if (session.isAddressProved) throw conflict('The address is already verified');
  const { email, personId } = session;
  await limitByHour(deps.limiter, { kind: 'proofs', of: email }, MAILS_PER_HOUR);
  const token = newToken();
  const expiresAt = new Date(deps.clock.now().getTime() + PROOF_MS);
  const hash = hashToken('mail', token, deps.pepper);
  await deps.mailTokens.add(hash, { kind: 'proof', email, personId }, expiresAt);
  await mails.add({ kind: 'proof', to: email, url: `${baseUrl}/dashboard/address#${token}` });
}

/** Requires a session of the account that requested it: following a link never proves another person's account. */
export async function confirmProof(deps: MailDeps, { personId }: KnownSession, token: string): Promise<void> {
  if (!(await deps.mailTokens.useProof(hashToken('mail', token, deps.pepper), personId)))
    throw notFound('Link');
}

/** The response and its timing are the same for every address. */
export async function mailReset(
  deps: MailDeps,
  email: string,
  { baseUrl, address }: { baseUrl: string; address: string },
): Promise<void> {
  const mails = requireMail(deps);
  const network = { kind: 'resets-by-network', of: guessNetworkOf(address) };
  await limitByHour(deps.limiter, network, RESETS_PER_NETWORK_AND_HOUR);
  await limitByHour(deps.limiter, { kind: 'resets', of: email }, MAILS_PER_HOUR);
  await mails.add({ kind: 'reset', to: email, baseUrl });
}

export async function resetByMail(
  deps: MailDeps,
  { token, password }: { token: string; password: string },
  from: { address: string; requestId: string },
): Promise<void> {
  const hash = hashToken('mail', token, deps.pepper);
  const email = await deps.mailTokens.emailOfReset(hash);
  if (email === undefined) throw notFound('Link');
  const passwordHash = await deps.passwords.hash(password, {
    lane: guessNetworkOf(from.address),
    isKnown: true,
    email,
  });
  if (!(await deps.mailTokens.useReset(hash, passwordHash, { kind: 'person', ...from })))
    throw new AppError('NOT_FOUND', 'The link has expired, or its account no longer exists');
}
