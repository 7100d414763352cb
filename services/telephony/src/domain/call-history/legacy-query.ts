import { CALL_STATUSES, CALL_TYPES, type CallStatus, type CallType } from '@parley/contracts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;
/** No history is longer; Postgres takes it as an offset. */
const MAX_OFFSET = 2_147_483_647;

export type LegacyQuery = {
  limit?: string | undefined;
  offset?: string | undefined;
  status?: string | undefined;
  callType?: string | undefined;
};

export type LegacyPage = {
  limit: number;
  offset: number;
  status: CallStatus | null;
  callType: CallType | null;
};

/**
 * The page that a legacy query asks for. What is too small or too big counts as the bound that it passes (D1.3); what can't be read at all
 * is its default, and a status or type that doesn't exist filters nothing.
 */
export function readLegacyQuery({ limit, offset, status, callType }: LegacyQuery): LegacyPage {
  return {
    limit: within(limit, 1, MAX_LIMIT, DEFAULT_LIMIT),
    offset: within(offset, 0, MAX_OFFSET, 0),
    status: CALL_STATUSES.find((known) => known === status) ?? null,
    callType: CALL_TYPES.find((known) => known === callType) ?? null,
  };
}

function within(text: string | undefined, min: number, max: number, fallback: number): number {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isNaN(value) ? fallback : Math.min(Math.max(Math.trunc(value), min), max);
}
