import { url } from '@parley/kit/config';
import { z } from 'zod';

const count = z.coerce.number().int().min(1);

/** What concerns people and their sessions; the operator's command reads a part of it. */
export const peopleConfig = {
  /** Where the world reaches the platform: links of invitations begin with it, and https makes the session's cookie Secure. */
  PUBLIC_URL: url.optional(),
  /** A session ends when it wasn't used for so long, and after so many days in any case (time of the stack). */
  SESSION_IDLE_MINUTES: count.default(720),
  SESSION_DAYS: count.default(14),
  /** Of one person at once: who signs in once more ends their oldest. */
  SESSIONS_PER_PERSON: count.default(20),
  INVITATION_DAYS: count.default(7),
  /** Of scrypt, as the exponent of N; each step doubles the time and the memory (15: 32 MiB). */
  PASSWORD_COST: z.coerce.number().int().min(10).max(20).default(15),
  /** Attempts to sign in, or to use an invitation: from one address, and at one account. */
  SIGN_INS_PER_ADDRESS_AND_MINUTE: count.default(20),
  SIGN_INS_PER_ACCOUNT_AND_MINUTE: count.default(10),
};
