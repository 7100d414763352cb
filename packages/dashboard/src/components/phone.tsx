import { formatPhone } from '../app/format-phone.ts';

type Props = { number: string | null | undefined; none?: string };

/** A phone number in groups of digits. Copying it gives the form that the API uses. */
export function Phone({ number, none = '–' }: Props) {
  if (!number) return <span>{none}</span>;
  return (
    <span
      className="numeric truncate"
      title={number}
      onCopy={(event) => {
        event.clipboardData.setData('text/plain', number);
        event.preventDefault();
      }}
    >
      {formatPhone(number)}
    </span>
  );
}
