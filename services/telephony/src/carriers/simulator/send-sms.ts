import { newId } from '@parley/kit/ids';
import type { Carrier } from '../carrier.ts';
import { judge } from './simulated-numbers.ts';

/** Sends nothing. A tool's own account is checked like the account of an imported number [running.5]. */
export const sendSimulatedSms: Carrier['sendSms'] = async ({ account, from }) => {
  const verdict = account ? judge({ ...account, phoneNumber: from }) : 'accepted';
  if (verdict === 'unreachable') throw new Error('The simulated carrier did not answer');
  return verdict === 'refused' ? { refused: 'The carrier refused the credentials' } : { messageId: newId() };
};
