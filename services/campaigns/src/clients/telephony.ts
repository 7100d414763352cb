import {
  findPhoneNumber,
  getDialConditions,
  getDialRates,
  getDialStates,
  withdrawDials,
} from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import { NO_WORKSPACE, type Peer } from '@parley/kit/http';
import type { DialState, Telephony } from '../domain/ports.ts';
import { createDialRates } from './dial-rates.ts';

/** Questions that concern numbers and calls of all workspaces. */
const everywhere = { workspaceId: NO_WORKSPACE };

export function createTelephony(peer: Peer): Telephony {
  return {
    findNumber: async (phone_number, asker) => {
      try {
        const found = await peer.call(findPhoneNumber, { params: { phone_number } }, asker);
        return { phoneNumberId: found.phone_number_id };
      } catch (err) {
        if (!(err instanceof AppError && err.code === 'NOT_FOUND')) throw err;
        throw new AppError('PHONE_NOT_FOUND', 'The phone number is not registered to this workspace');
      }
    },
    withdraw: async (campaign_id, below_generation, asker) => {
      await peer.call(withdrawDials, { body: { campaign_id, below_generation } }, asker);
    },
    dialConditions: async (id, asker) => {
      try {
        const found = await peer.call(getDialConditions, { params: { id } }, asker);
        return {
          phoneNumber: found.phone_number,
          isActive: found.is_active,
          maxCps: found.max_cps,
          nextDialAt: new Date(found.next_dial_at),
          waiting: found.waiting,
          live: found.live_calls,
          mostLive: found.max_live_calls,
          callWorkers: found.call_workers,
          circuit: found.circuit,
        };
      } catch (err) {
        if (err instanceof AppError && err.code === 'NOT_FOUND') return undefined;
        throw err;
      }
    },
    dialRates: createDialRates(async (phone_number_ids) => {
      const rates = await peer.call(getDialRates, { body: { phone_number_ids } }, everywhere);
      return rates.map((rate) => [rate.phone_number_id, { maxCps: rate.max_cps, isActive: rate.is_active }]);
    }),
    dialStates: async (call_ids) => {
      const states = await peer.call(getDialStates, { body: { call_ids } }, everywhere);
      return states.map(({ call_id, ...state }): DialState => ({ callId: call_id, ...state }));
    },
  };
}
