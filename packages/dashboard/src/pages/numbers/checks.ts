/** What is wrong with a number; undefined: nothing. Spaces, dots, brackets and dashes are taken out before it is sent. */
export function numberProblem(typed: string): string | undefined {
  const number = plainNumber(typed);
  if (number === '') return undefined;
  if (!number.startsWith('+')) return 'Begin with + and the country code, such as +1 or +49';
  if (!/^\+\d*$/.test(number)) return 'Digits only, after the +';
  if (/^\+0/.test(number)) return 'A country code does not begin with 0';
  return /^\+[1-9]\d{6,14}$/.test(number) ? undefined : 'A number has 7 to 15 digits';
}

export function plainNumber(typed: string): string {
  return typed.replace(/[\s().\-/]/g, '').replace(/^00/, '+');
}

/** What is wrong with the address of a trunk. */
export function terminationProblem(typed: string): string | undefined {
  const address = typed.trim();
  if (address === '') return undefined;
  if (/^sips?:/i.test(address) || address.includes('://'))
    return 'Leave the scheme out: sip.example.com:5060';
  if (address.includes('@')) return 'Leave the user out; it has a field of its own';
  const isHost = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/.test(
    address,
  );
  return isHost ? undefined : 'A host, and a port if it is another one than usual: sip.example.com:5060';
}
