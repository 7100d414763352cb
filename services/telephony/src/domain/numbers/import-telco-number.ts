import type { BodyOf, importTelcoNumber as contract } from '@parley/contracts';
import { AppError, validationFailed } from '@parley/kit/errors';
import { addNumber, type NumberRequest } from './add-number.ts';
import type { NumberDeps } from './deps.ts';

type Body = BodyOf<typeof contract>;

/** Imports a number by the credentials of its carrier account, which the carrier has to confirm (D5.2). */
export async function importTelcoNumber(
  deps: NumberDeps,
  request: NumberRequest,
  body: Body,
): ReturnType<typeof addNumber> {
  await checkAccount(deps, body);
  return addNumber(deps, request, {
    ...body,
    provider: 'telco',
    inboundWebhookUrl: null,
    secrets: { account_sid: body.telco_account_sid, auth_token: body.telco_auth_token },
  });
}

async function checkAccount({ accounts }: NumberDeps, body: Body): Promise<void> {
  const verdict = await accounts.checkAccount({
    accountSid: body.telco_account_sid,
    authToken: body.telco_auth_token,
    phoneNumber: body.phone_number,
  });
  if (verdict === 'accepted') return;
  if (verdict === 'unreachable') throw new AppError('CARRIER_ERROR', 'The carrier did not answer, try again');
  const path = 'telco_account_sid';
  const message = `${path} and telco_auth_token were refused by the carrier, or the number is not the account's`;
  throw validationFailed([{ path, code: 'not_allowed', message }]);
}
