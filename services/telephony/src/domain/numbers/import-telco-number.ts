import type { BodyOf, importTelcoNumber as contract } from '@parley/contracts';
import { addNumber, type NumberRequest } from './add-number.ts';
import type { NumberDeps } from './deps.ts';
import { heedCarrier } from './heed-carrier.ts';

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

async function checkAccount({ carrierNumbers }: NumberDeps, body: Body): Promise<void> {
  const verdict = await carrierNumbers.checkAccount({
    accountSid: body.telco_account_sid,
    authToken: body.telco_auth_token,
    phoneNumber: body.phone_number,
  });
  heedCarrier(verdict, {
    path: 'telco_account_sid',
    refusal: "and telco_auth_token were refused by the carrier, or the number is not the account's",
  });
}
