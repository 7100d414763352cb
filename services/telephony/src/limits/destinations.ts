import { AppError } from '@parley/kit/errors';

/** Whether a workspace may call or text a number [trust.22]; without prefixes, any number. */
export function isAllowedNumber(phoneNumber: string, prefixes: readonly string[]): boolean {
  return prefixes.length === 0 || prefixes.some((prefix) => phoneNumber.startsWith(prefix));
}

const USER_OF_SIP = /^sips?:([\s\S]*)@/i;
/** Parameters of a number, a password, and what some servers read as headers. */
const AFTER_NUMBER = /[;:?][\s\S]*$/;
const IS_NUMBER = /^\+?[\d().\-\s]+$/;

/**
 * Whether a call may be transferred there. A `sip:` URI can stand for a telephone number: its user part is checked as one. A URI
 * without a number is allowed if the workspace has configured it, and rejected if a model has chosen it.
 */
export function isAllowedTransfer(
  destination: string,
  { prefixes, isConfigured }: { prefixes: readonly string[]; isConfigured: boolean },
): boolean {
  if (prefixes.length === 0) return true;
  if (destination.startsWith('+')) return isAllowedNumber(destination, prefixes);
  const user = decode(USER_OF_SIP.exec(destination)?.[1] ?? '').replace(AFTER_NUMBER, '');
  if (!IS_NUMBER.test(user)) return isConfigured;
  return isAllowedNumber(`+${user.replace(/\D/g, '').replace(/^00/, '')}`, prefixes);
}

/** Octet by octet: invalid UTF-8 must not prevent the rest from being decoded. */
function decode(user: string): string {
  return user.replace(/%([\da-f]{2})/gi, (_, octet: string) =>
    String.fromCharCode(Number.parseInt(octet, 16)),
  );
}

export function destinationNotAllowed(prefixes: readonly string[]): AppError {
  const list = prefixes.slice(0, 20).join(', ');
  return new AppError(
    'FORBIDDEN',
    `to_number is outside of this workspace's allowed_destinations (${list}${prefixes.length > 20 ? ', …' : ''})`,
  );
}
