import type { Sql } from '@parley/kit/db';
import type { Clock } from '@parley/kit/time';
import type { AccountVerdict, CarrierAccount, CarrierNumbers } from '../../domain/ports.ts';
import { rememberRoute } from './route-store.ts';

const ACCOUNT_SID = /^AC[0-9a-f]{32}$/i;
const REFUSED_TOKEN = '0'.repeat(32);
const SILENT_TOKEN = /^f{32}$/i;

/** Numbers as the simulated carrier knows them (D5). Its calls need no SIP trunk, so that none is ever there to remove. */
export function createSimulatedNumbers({ sql, clock }: { sql: Sql; clock: Clock }): CarrierNumbers {
  return {
    checkAccount: async (account) => judge(account),
    pointHere: async (account) => {
      const verdict = judge(account);
      if (verdict === 'accepted') await rememberRoute(sql, account.phoneNumber, clock.now());
      return verdict;
    },
    removeTrunk: async () => {},
  };
}

/** Any account that looks like one is taken, but with two tokens (D5.2). */
export function judge({ accountSid, authToken }: CarrierAccount): AccountVerdict {
  if (SILENT_TOKEN.test(authToken)) return 'unreachable';
  return ACCOUNT_SID.test(accountSid) && authToken !== REFUSED_TOKEN ? 'accepted' : 'refused';
}
