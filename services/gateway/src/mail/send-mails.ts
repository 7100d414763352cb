import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import type { PeopleStore } from '../people/people.store.ts';
import { hashToken, newToken } from '../sessions/tokens.ts';
import type { SecondFactorStore } from '../sign-in/second-factors.store.ts';
import { invitationLetter, proofLetter, resetLetter } from './letters.ts';
import type { MailTokenStore } from './mail-tokens.store.ts';
import type { Mail, MailQueue, WaitingMail } from './mails.store.ts';
import type { Mailer } from './smtp.ts';

export type SendDeps = {
  mails: MailQueue;
  mailTokens: MailTokenStore;
  mailer: Mailer;
  people: PeopleStore;
  secondFactors: SecondFactorStore;
  pepper: string;
  clock: Clock;
  log: Log;
  onEnd: (outcome: 'sent' | 'refused' | 'late' | 'no_account') => void;
  onFailure: () => void;
};

const RESET_MS = 3_600_000;

/** Sends due mails, and retries failed ones for a day; true if there may be more. */
export async function sendMails(deps: SendDeps): Promise<boolean> {
  const waiting = await deps.mails.claim();
  for (const one of waiting) {
    const outcome = await send(deps, one);
    if (!outcome) continue;
    deps.onEnd(outcome);
    await deps.mails.remove(one.id);
  }
  return waiting.length > 0;
}

async function send(deps: SendDeps, { id, mail, attempts, isLate }: WaitingMail) {
  if (mail instanceof Error) {
    deps.onFailure();
    deps.log.error(
      { err: mail, mailId: id, attempts },
      'a mail cannot be decrypted; was KEY_PEPPER changed?',
    );
    return isLate ? 'late' : undefined;
  }
  if (isLate) {
    deps.log.error({ mailId: id, kind: mail.kind, attempts }, 'giving up on a mail after a day');
    return 'late';
  }
  try {
    const text = await write(deps, mail);
    if (!text) return 'no_account';
    if (await deps.mailer.send({ id, to: mail.to, ...text })) return 'sent';
    deps.log.warn({ mailId: id, kind: mail.kind }, 'the mail server rejected a mail');
    return 'refused';
  } catch (err) {
    deps.onFailure();
    deps.log.warn({ err, mailId: id, kind: mail.kind, attempts }, 'sending a mail failed; retrying');
    return undefined;
  }
}

async function write(deps: SendDeps, mail: Mail) {
  if (mail.kind === 'invitation') return invitationLetter(mail);
  if (mail.kind === 'proof') return proofLetter(mail.url);
  if (!(await canReset(deps, mail.to))) return undefined;
  const token = newToken();
  const expiresAt = new Date(deps.clock.now().getTime() + RESET_MS);
  const hash = hashToken('mail', token, deps.pepper);
  await deps.mailTokens.add(hash, { kind: 'reset', email: mail.to }, expiresAt);
  return resetLetter(`${mail.baseUrl}/dashboard/password#${token}`);
}

/**
 * For an account that has proved the address, or may prove it by the reset. An unproved account with a second factor may not:
 * the address would then belong to an account whose second factor the mailbox's owner lacks.
 */
async function canReset({ people, secondFactors }: SendDeps, email: string): Promise<boolean> {
  for (const account of await people.findByEmail(email))
    if (account.provedAt || !(await secondFactors.find(account.id))?.enabledAt) return true;
  return false;
}
