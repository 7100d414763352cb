import type { BrowserClient } from '@parley/client/browser';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../../app/client.ts';

export type PhoneNumber = Awaited<ReturnType<BrowserClient['phoneNumbers']['get']>>;

export const numberQuery = (id: string) =>
  queryOptions({
    queryKey: ['numbers', 'one', id],
    queryFn: ({ signal }) => api.phoneNumbers.get(id, { signal }),
  });

const OFTEN_ENOUGH_MS = 15_000;

/** What needs attention in the workspace; here: the numbers whose circuit is open. */
const attentionQuery = queryOptions({
  queryKey: ['attention'],
  queryFn: ({ signal }) => api.analytics.attention({ signal }),
  staleTime: OFTEN_ENOUGH_MS,
});

export type OpenCircuit = { at: string; nextProbeAt: string | null };

/** The open circuits of numbers, by the number's id; undefined: not known (yet). */
export const circuitsQuery = queryOptions({
  ...attentionQuery,
  select: ({ items, unknown_services: unknown }): ReadonlyMap<string, OpenCircuit> | undefined => {
    if (unknown.includes('telephony')) return undefined;
    const open = items.flatMap((item) =>
      item.type === 'number_circuit_open'
        ? [[item.phone_number_id, { at: item.at, nextProbeAt: item.next_probe_at }] as const]
        : [],
    );
    return new Map(open);
  },
});
