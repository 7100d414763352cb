import type { Sql } from '@parley/kit/db';
import type { DialQueue } from '../domain/placing/ports.ts';
import { lastGrantedDial, raiseGate, withdrawWaiting } from './dial-requests.ts';

export function createDialQueue(sql: Sql): DialQueue {
  return {
    raiseGate,
    withdrawWaiting,
    lastGrantedDial: (campaignId) => lastGrantedDial(sql, campaignId),
  };
}
