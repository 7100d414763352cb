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

/** The newest of them only are listed. */
const MAX_LISTED = 20;

type Attention = Awaited<ReturnType<typeof api.analytics.attention>>;

/** The state of each number's circuit, by its id. */
export const circuitsQuery = queryOptions({ ...attentionQuery, select: circuitsIn });

/** The open circuit of a number, or `closed`; undefined: not known. */
export function circuitsIn({
  items,
  unknown_services: unknown,
}: Pick<Attention, 'items' | 'unknown_services'>): (numberId: string) => OpenCircuit | 'closed' | undefined {
  const open = new Map(
    items.flatMap((item) =>
      item.type === 'number_circuit_open'
        ? [[item.phone_number_id, { at: item.at, nextProbeAt: item.next_probe_at }] as const]
        : [],
    ),
  );
  const isWhole = !unknown.includes('telephony') && open.size < MAX_LISTED;
  return (numberId) => open.get(numberId) ?? (isWhole ? 'closed' : undefined);
}
