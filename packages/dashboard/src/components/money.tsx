import { formatCents } from '../app/format-number.ts';
import { useCurrency } from '../app/workspace.ts';

/** An amount of the API, which is in cents, with its currency. */
export function Money({ cents, none = '–' }: { cents: number | null | undefined; none?: string }) {
  const currency = useCurrency();
  return (
    <span className="numeric">
      {cents === null || cents === undefined ? none : formatCents(cents, currency)}
    </span>
  );
}
