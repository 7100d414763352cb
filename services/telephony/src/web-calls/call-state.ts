import type { joinWebCall as contract, ResponseOf } from '@parley/contracts';
import { type AppError, conflict } from '@parley/kit/errors';
import type { CallRecord } from '../calls/call-record.ts';

export type CallState = ResponseOf<typeof contract>;

export function toState({ id, status, disconnection_reason }: CallRecord): CallState {
  return { call_id: id, status, disconnection_reason };
}

export function isOver(): AppError {
  return conflict('The call is over');
}
