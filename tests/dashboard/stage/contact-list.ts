/**
 * A list as spreadsheets write it: 193 contacts who hang up at once [running.2], except the first, and seven rows that cannot be
 * called. `ending`: the last four digits of the first.
 */
export function listOf200(first: { name: string; ending?: string }): string {
  const { name, ending = '0008' } = first;
  const rows = Array.from({ length: 193 }, (_, i) => {
    const number = `+1 (212) ${String(201 + i)}-${i === 0 ? ending : '0008'}`;
    return `${number};${i === 0 ? name : `Person ${i}`};tandem;${70_001 + i}`;
  });
  const bad = ['', 'n/a', '555 0199', '+12', '4.91E+11', '+1234567890123456789', '+0151 23456789'];
  for (const [i, number] of bad.entries()) rows.splice(20 * (i + 1), 0, `${number};Bad ${i};tandem;1`);
  return `\uFEFFPhone;Name;Bicycle;Order number\r\n${rows.join('\r\n')}\r\n`;
}
