import type { CallType } from '@parley/contracts';

type Numbers = { call_type: CallType; from_number: string | null; to_number: string | null };

/** The number of the human; null for web calls. */
export const theirNumber = ({ call_type, from_number, to_number }: Numbers): string | null =>
  call_type === 'inbound' ? from_number : to_number;

/** The workspace's own number; null for web calls. */
export const ourNumber = ({ call_type, from_number, to_number }: Numbers): string | null =>
  call_type === 'inbound' ? to_number : from_number;

/** The human's part in a call. */
export const HUMAN: Readonly<Record<CallType, string>> = {
  inbound: 'Caller',
  outbound: 'Contact',
  web: 'Visitor',
};

export const TYPE_WORDS: Readonly<Record<CallType, string>> = {
  inbound: 'Inbound',
  outbound: 'Outbound',
  web: 'Web',
};
