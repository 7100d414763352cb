import type { Sql } from '@parley/kit/db';
import type { DialQueue } from '../calls/placing-ports.ts';
import { lastGrantedDial, raiseGate, withdrawWaiting } from './dial-requests.store.ts';

export function createDialQueue(sql: Sql): DialQueue {
  return {
    raiseGate,
    withdrawWaiting,
    lastGrantedDial: (campaignId) => lastGrantedDial(sql, campaignId),
  };
}
