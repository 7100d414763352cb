import { newId } from '@parley/kit/ids';
import type { Carrier } from '../../domain/carrier/port.ts';
import { judge } from './simulated-numbers.ts';

/** No message goes anywhere; accounts of a tool's own are judged as those that numbers are imported by (D5.2). */
export const sendSimulatedSms: Carrier['sendSms'] = async ({ account, from }) => {
  const verdict = account ? judge({ ...account, phoneNumber: from }) : 'accepted';
  if (verdict === 'unreachable') throw new Error('The simulated carrier did not answer');
  return verdict === 'refused' ? { refused: 'The carrier refused the credentials' } : { messageId: newId() };
};
