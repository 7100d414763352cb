import { notFound, validationFailed } from '@parley/kit/errors';
import type { SecretBox } from '@parley/kit/secrets';
import { z } from 'zod';
import type { CarrierAccount, CarrierNumbers } from '../ports.ts';
import { secretsPlace } from './add-number.ts';
import { heedCarrier } from './heed-carrier.ts';
import { type PhoneNumber, toPhoneNumberAnswer } from './phone-number.ts';
import type { NumberStore } from './ports.ts';

export type PointNumberDeps = {
  numbers: NumberStore;
  carrierNumbers: CarrierNumbers;
  secrets: Pick<SecretBox, 'open'>;
};

const telcoSecrets = z.object({ account_sid: z.string(), auth_token: z.string() });

/** Has the carrier bring an imported number's calls here; may be asked for as often as one likes (D5.3). */
export async function pointTelcoNumber(
  deps: PointNumberDeps,
  workspaceId: string,
  id: string,
): Promise<ReturnType<typeof toPhoneNumberAnswer>> {
  const number = await deps.numbers.find(workspaceId, id);
  if (!number) throw notFound('Phone number');
  if (number.provider !== 'telco') throw notImported();
  heedCarrier(await deps.carrierNumbers.pointHere(await openAccount(deps, number)), {
    path: 'id',
    refusal: 'is of a number whose credentials the carrier refuses by now',
  });
  return toPhoneNumberAnswer(number);
}

async function openAccount(
  { numbers, secrets }: PointNumberDeps,
  { id, workspaceId, phoneNumber }: PhoneNumber,
): Promise<CarrierAccount> {
  const sealed = await numbers.sealedSecrets(workspaceId, id);
  if (sealed === undefined) throw notFound('Phone number');
  const opened = telcoSecrets.parse(JSON.parse(secrets.open(sealed, secretsPlace(id))));
  return { accountSid: opened.account_sid, authToken: opened.auth_token, phoneNumber };
}

function notImported() {
  const message = 'id must be of a number that was imported by carrier credentials';
  return validationFailed([{ path: 'id', code: 'not_allowed', message }]);
}
