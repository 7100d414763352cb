/** A phone number as the audit log shows it, `+1415*****09`, so that erased numbers are not in it. */
export function maskPhoneNumber(phoneNumber: string): string {
  const hidden = Math.max(0, phoneNumber.length - 7);
  return `${phoneNumber.slice(0, 5)}${'*'.repeat(hidden)}${phoneNumber.slice(5 + hidden)}`;
}
