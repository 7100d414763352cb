import { WEBHOOK_EVENTS } from '@parley/contracts';
import type { Paint } from '@parley/devstack';
import { type Deliveries, expectedEvents } from './deliveries.ts';
import type { Results } from './results.ts';
import { drawTable } from './table.ts';

type Input = { results: Results; deliveries: Deliveries; width: number; paint: Paint };

/** One line per event type: how many calls should have sent it, and how many arrived. */
export function deliveriesTable({ results, deliveries, width, paint }: Input): string {
  const rows = WEBHOOK_EVENTS.map((event) => {
    const wanting = results.calls.filter((call) => expectedEvents(call).includes(event));
    const inOrder = wanting.filter((call) => {
      const arrived = deliveries.ofCall(call.id);
      const before = expectedEvents(call).slice(0, expectedEvents(call).indexOf(event));
      const at = arrived.indexOf(event);
      return at >= 0 && before.every((earlier) => arrived.slice(0, at).includes(earlier));
    });
    const { requests, signed, calls } = deliveries.count(event);
    const mark = (count: number, of: number) => paint(count === of ? 'green' : 'red', String(count));
    return [
      event,
      String(wanting.length),
      mark(calls, wanting.length),
      mark(signed, requests),
      mark(inOrder.length, wanting.length),
      String(signed - calls),
    ];
  });
  return drawTable({
    columns: [
      { title: 'Event', width: 13 },
      { title: 'Calls', width: 8, align: 'right' },
      { title: 'Delivered', width: 9, align: 'right' },
      { title: 'Signed ok', width: 9, align: 'right' },
      { title: 'In order', width: 8, align: 'right' },
      { title: 'Repeated', width: 8, align: 'right' },
    ],
    rows,
    width,
    paint,
  });
}
