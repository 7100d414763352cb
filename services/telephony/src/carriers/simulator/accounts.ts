import type { AccountVerdict, CarrierAccount, CarrierAccounts } from '../../domain/ports.ts';

const ACCOUNT_SID = /^AC[0-9a-f]{32}$/i;
const REFUSED_TOKEN = '0'.repeat(32);
const SILENT_TOKEN = /^f{32}$/i;

/** The accounts of the simulated carrier (D5.2): all that look like one, but for two tokens. */
export const simulatedAccounts: CarrierAccounts = {
  checkAccount: async (account) => judge(account),
};

function judge({ accountSid, authToken }: CarrierAccount): AccountVerdict {
  if (SILENT_TOKEN.test(authToken)) return 'unreachable';
  return ACCOUNT_SID.test(accountSid) && authToken !== REFUSED_TOKEN ? 'accepted' : 'refused';
}
