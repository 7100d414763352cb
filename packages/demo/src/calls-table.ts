import type { Paint } from '@parley/devstack';
import type { Deliveries } from './deliveries.ts';
import type { PersonResult, Results } from './results.ts';
import type { Call } from './single-call.ts';
import { drawTable } from './table.ts';

type Input = { results: Results; deliveries: Pick<Deliveries, 'analyzed'>; width: number; paint: Paint };

/** One line per called number: the single call, then the campaign's contacts. */
export function callsTable({ results, deliveries, width, paint }: Input): string {
  const toolUses = (calls: readonly Call[]) =>
    calls.reduce((sum, { id }) => sum + (deliveries.analyzed(id)?.tools.length ?? 0), 0);
  const describe = (calls: readonly Call[], outcome: string, attempts: number, story: string) => {
    const last = calls.at(-1);
    const cost = calls.reduce((sum, call) => sum + (call.cost ?? 0), 0);
    return [
      last?.to_number ?? '',
      outcome,
      String(attempts),
      last?.duration ? `${last.duration} s` : '',
      cost > 0 ? `${cost} ¢` : '',
      String(toolUses(calls) || ''),
      last?.summary?.replace(/\s+/g, ' ') ?? paint('dim', story),
    ];
  };
  const contactRow = ({ person, contact, calls }: PersonResult) => {
    const style = contact?.status === 'succeeded' ? 'green' : 'red';
    const outcome = paint(style, contact?.last_outcome ?? contact?.status ?? 'missing');
    const [, ...rest] = describe(calls, outcome, contact?.attempts ?? 0, person.story);
    return [person.phoneNumber, ...rest];
  };
  const { single } = results;
  return drawTable({
    columns: [
      { title: 'Number', width: 13 },
      { title: 'Outcome', width: 14 },
      { title: 'Tries', width: 5, align: 'right' },
      { title: 'Talk', width: 5, align: 'right' },
      { title: 'Cost', width: 5, align: 'right' },
      { title: 'Tools', width: 5, align: 'right' },
      { title: 'Summary' },
    ],
    rows: [
      describe([single], single.disconnection_reason ?? single.status, 1, 'the single call'),
      ...results.people.map(contactRow),
    ],
    width,
    paint,
  });
}
