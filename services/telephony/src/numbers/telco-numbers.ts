import type { BodyOf, importTelcoNumber as contract } from '@parley/contracts';
import { AppError, notFound, validationFailed } from '@parley/kit/errors';
import type { SecretBox } from '@parley/kit/secrets';
import { z } from 'zod';
import type { AccountVerdict, CarrierNumbers } from '../clients/ports.ts';
import { addNumber, type NumberDeps, type NumberRequest } from './add-number.ts';
import type { NumberStore } from './numbers.store.ts';
import { toPhoneNumberAnswer } from './phone-number.ts';
import { secretsPlace } from './trunk-of.ts';

const telcoSecrets = z.object({ account_sid: z.string(), auth_token: z.string() });

/** Imports a number with the credentials of its carrier account, which the carrier checks [numbers.3]. */
export async function importTelcoNumber(
  deps: NumberDeps,
  request: NumberRequest,
  body: BodyOf<typeof contract>,
): ReturnType<typeof addNumber> {
  const { telco_account_sid: accountSid, telco_auth_token: authToken, phone_number: phoneNumber } = body;
  assertAccountAccepted(await deps.carrierNumbers.checkAccount({ accountSid, authToken, phoneNumber }), {
    path: 'telco_account_sid',
    refusal: 'and telco_auth_token were refused by the carrier, or the account does not have the number',
  });
  return addNumber(deps, request, {
    ...body,
    provider: 'telco',
    inboundWebhookUrl: null,
    secrets: { account_sid: accountSid, auth_token: authToken },
  });
}

type PointNumberDeps = {
  numbers: NumberStore;
  carrierNumbers: CarrierNumbers;
  secrets: Pick<SecretBox, 'open'>;
};

/** Has the carrier route an imported number's calls to Parley; can be repeated [numbers.9]. */
export async function pointTelcoNumber(
  { numbers, carrierNumbers, secrets }: PointNumberDeps,
  workspaceId: string,
  id: string,
): Promise<ReturnType<typeof toPhoneNumberAnswer>> {
  const number = await numbers.find(workspaceId, id);
  if (!number) throw notFound('Phone number');
  if (number.provider !== 'telco') {
    const message = 'id must belong to a number that was imported with carrier credentials';
    throw validationFailed([{ path: 'id', code: 'not_allowed', message }]);
  }
  const sealed = await numbers.sealedSecrets(workspaceId, id);
  if (sealed === undefined) throw notFound('Phone number');
  const opened = telcoSecrets.parse(JSON.parse(secrets.open(sealed, secretsPlace(number.id))));
  const account = {
    accountSid: opened.account_sid,
    authToken: opened.auth_token,
    phoneNumber: number.phoneNumber,
  };
  assertAccountAccepted(await carrierNumbers.pointHere(account, workspaceId), {
    path: 'id',
    refusal: 'belongs to a number whose credentials the carrier now refuses',
  });
  return toPhoneNumberAnswer(number);
}

function assertAccountAccepted(
  verdict: AccountVerdict,
  { path, refusal }: { path: string; refusal: string },
): void {
  if (verdict === 'accepted') return;
  if (verdict === 'unreachable') throw new AppError('CARRIER_ERROR', 'The carrier did not answer, try again');
  throw validationFailed([{ path, code: 'not_allowed', message: `${path} ${refusal}` }]);
}
