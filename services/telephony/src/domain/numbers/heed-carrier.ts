import { AppError, validationFailed } from '@parley/kit/errors';
import type { AccountVerdict } from '../ports.ts';

/** A carrier that refuses the account is 422, one that doesn't answer 502 (D5.2). */
export function heedCarrier(
  verdict: AccountVerdict,
  { path, refusal }: { path: string; refusal: string },
): void {
  if (verdict === 'accepted') return;
  if (verdict === 'unreachable') throw new AppError('CARRIER_ERROR', 'The carrier did not answer, try again');
  throw validationFailed([{ path, code: 'not_allowed', message: `${path} ${refusal}` }]);
}
