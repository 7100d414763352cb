import {
  findPhoneNumber,
  getDialConditions,
  getDialRates,
  getDialStates,
  type NumberCircuit,
  withdrawDials,
} from '@parley/contracts';
import { AppError, unlessNotFound } from '@parley/kit/errors';
import { type CallContext, NO_WORKSPACE, type ServiceClient } from '@parley/kit/http';
import type { AttemptUpdate } from '../attempts/advance-attempt.ts';
import type { Ended } from '../attempts/judge-outcome.ts';
import type { DialRate } from '../dispatch/dial-window.ts';
import { createDialRates } from './dial-rates.ts';

export type DialState =
  | { callId: string; state: 'unknown' | 'waiting' }
  | { callId: string; state: 'refused'; reason: Extract<AttemptUpdate, { kind: 'refused' }>['reason'] }
  | { callId: string; state: 'live'; answered: boolean }
  | { callId: string; state: 'ended'; ended: Ended };

/** The conditions for a number's next dial. */
export type DialConditions = {
  phoneNumber: string;
  isActive: boolean;
  maxCps: number;
  nextDialAt: Date;
  /** Undialed requests of campaigns. */
  waiting: number;
  /** Live calls of the workspace, and their maximum; null: unknown. */
  live: number;
  maxLive: number | null;
  callWorkers: number;
  circuit: NumberCircuit;
  /** [trust.22] [trust.24] */
  isSuspended: boolean;
  allowedDestinations: readonly string[];
  spend: { limitCents: number; spentCents: number; isExhausted: boolean } | null;
};

export type Telephony = {
  /** `PHONE_NOT_FOUND` for a number that isn't the workspace's. */
  findNumber(phoneNumber: string, context: CallContext): Promise<{ phoneNumberId: string }>;
  withdraw(campaignId: string, belowGeneration: number, context: CallContext): Promise<void>;
  dialRates(phoneNumberIds: string[]): Promise<Map<string, DialRate>>;
  /** Undefined for a deleted number. */
  dialConditions(phoneNumberId: string, context: CallContext): Promise<DialConditions | undefined>;
  dialStates(callIds: string[]): Promise<DialState[]>;
};

/** For numbers and calls of all workspaces. */
const everyWorkspace = { workspaceId: NO_WORKSPACE };

export function createTelephony(client: ServiceClient): Telephony {
  return {
    findNumber: async (phone_number, context) => {
      const found = await unlessNotFound(client.call(findPhoneNumber, { params: { phone_number } }, context));
      if (found) return { phoneNumberId: found.phone_number_id };
      throw new AppError('PHONE_NOT_FOUND', 'The phone number is not registered to this workspace');
    },
    withdraw: async (campaign_id, below_generation, context) => {
      await client.call(withdrawDials, { body: { campaign_id, below_generation } }, context);
    },
    dialConditions: async (id, context) => {
      const found = await unlessNotFound(client.call(getDialConditions, { params: { id } }, context));
      return (
        found && {
          phoneNumber: found.phone_number,
          isActive: found.is_active,
          maxCps: found.max_cps,
          nextDialAt: new Date(found.next_dial_at),
          waiting: found.waiting,
          live: found.live_calls,
          maxLive: found.max_live_calls,
          callWorkers: found.call_workers,
          circuit: found.circuit,
          isSuspended: found.is_suspended,
          allowedDestinations: found.allowed_destinations,
          spend: found.spend && {
            limitCents: found.spend.limit_cents,
            spentCents: found.spend.spent_cents,
            isExhausted: found.spend.is_exhausted,
          },
        }
      );
    },
    dialRates: createDialRates(async (phone_number_ids) => {
      const rates = await client.call(getDialRates, { body: { phone_number_ids } }, everyWorkspace);
      return rates.map((rate) => [rate.phone_number_id, { maxCps: rate.max_cps, isActive: rate.is_active }]);
    }),
    dialStates: async (call_ids) => {
      const states = await client.call(getDialStates, { body: { call_ids } }, everyWorkspace);
      return states.map(({ call_id, ...state }): DialState => ({ callId: call_id, ...state }));
    },
  };
}
