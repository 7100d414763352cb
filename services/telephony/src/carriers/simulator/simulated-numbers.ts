import type { SqlClient } from '@parley/kit/db';
import type { Clock } from '@parley/kit/time';
import type { AccountVerdict, CarrierAccount, CarrierNumbers } from '../../clients/ports.ts';
import { storeRoute } from './route-store.ts';

const ACCOUNT_SID = /^AC[0-9a-f]{32}$/i;
const REFUSED_TOKEN = '0'.repeat(32);
const UNREACHABLE_TOKEN = /^f{32}$/i;

/** Accounts and routes of the simulated carrier. Its calls need no SIP trunk, so there is none to remove. */
export function createSimulatedNumbers({ sql, clock }: { sql: SqlClient; clock: Clock }): CarrierNumbers {
  return {
    checkAccount: async (account) => judge(account),
    pointHere: async (account, workspaceId) => {
      const verdict = judge(account);
      if (verdict === 'accepted') await storeRoute(sql, workspaceId, account.phoneNumber, clock.now());
      return verdict;
    },
    removeTrunk: async () => {},
  };
}

/** Accepts every well-formed account, except two tokens [running.5]. */
export function judge({ accountSid, authToken }: CarrierAccount): AccountVerdict {
  if (UNREACHABLE_TOKEN.test(authToken)) return 'unreachable';
  return ACCOUNT_SID.test(accountSid) && authToken !== REFUSED_TOKEN ? 'accepted' : 'refused';
}
