import { createHash } from 'node:crypto';

/** The filters of the n-th request of a kind. */
export type Filters = (n: number) => Record<string, unknown>;

const uuidOf = (text: string): string =>
  createHash('md5')
    .update(text)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

const agent = (n: number): string => uuidOf(`agent ${n % 200}`);
const campaign = (n: number): string => uuidOf(`campaign ${n % 50}`);
const monthsAgo = (n: number): string => new Date(Date.now() - n * 30 * 86_400_000).toISOString();

/** Each filter of `POST /v2/call/list` alone, with few and with many matches. */
export const SINGLE_FILTERS: Record<string, Filters> = {
  none: () => ({}),
  'call_types, one': (n) => ({ call_types: [['outbound', 'inbound', 'web'][n % 3]] }),
  'call_types, two': () => ({ call_types: ['outbound', 'web'] }),
  'agent_ids, one': (n) => ({ agent_ids: [agent(n)] }),
  'agent_ids, 100': (n) => ({ agent_ids: Array.from({ length: 100 }, (_, i) => agent(n + i)) }),
  'campaign_ids, the oldest': () => ({ campaign_ids: [campaign(0)] }),
  'campaign_ids, any': (n) => ({ campaign_ids: [campaign(n)] }),
  'campaign_ids, 20': (n) => ({ campaign_ids: Array.from({ length: 20 }, (_, i) => campaign(n + i)) }),
  from_numbers: (n) => ({ from_numbers: [`+1555010${String(n % 100).padStart(4, '0')}`] }),
  'to_number, 7 digits': (n) => ({ to_number: String(2_000_000 + n * 7_919) }),
  'to_number, 4 digits': (n) => ({ to_number: String(1_000 + n * 37) }),
  'to_number, 2 digits': (n) => ({ to_number: String(10 + n) }),
  'to_number, +1': () => ({ to_number: '+1' }),
  created_after: (n) => ({ created_after: monthsAgo(1 + (n % 11)) }),
  created_before: (n) => ({ created_before: monthsAgo(1 + (n % 11)) }),
  duration_min: (n) => ({ duration_min: n * 9 }),
  duration_max: (n) => ({ duration_max: n * 9 }),
  cost_min: (n) => ({ cost_min: n }),
  cost_max: (n) => ({ cost_max: n }),
  'disconnection_reasons, most': () => ({ disconnection_reasons: ['user_hangup'] }),
  'disconnection_reasons, none': () => ({ disconnection_reasons: ['error'] }),
};

/** For comparison: there is no bar for combined filters. */
export const SEVERAL_FILTERS: Record<string, Filters> = {
  'type and reason': () => ({ call_types: ['outbound'], disconnection_reasons: ['user_hangup'] }),
  'agent and duration': (n) => ({ agent_ids: [agent(n)], duration_min: 60 }),
};

export const LEGACY_QUERIES: Record<string, string> = {
  'legacy list': '',
  'legacy list, completed': '?status=completed&limit=100',
  'legacy list, queued': '?status=queued',
  'legacy list, web': '?callType=web',
  'legacy list, ringing web': '?callType=web&status=ringing',
  'legacy list, offset 10,000': '?offset=10000',
};
