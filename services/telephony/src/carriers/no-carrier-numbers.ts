import type { CarrierNumbers } from '../clients/ports.ts';

/** Without a configured carrier no account can be checked: its numbers cannot be imported [numbers.3]. */
export const noCarrierNumbers: CarrierNumbers = {
  checkAccount: async () => 'unreachable',
  pointHere: async () => 'unreachable',
  removeTrunk: async () => {},
};
