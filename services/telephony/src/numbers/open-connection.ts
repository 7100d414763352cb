import type { SecretBox } from '@parley/kit/secrets';
import { z } from 'zod';
import type { NumberConnection } from '../carriers/call-control.ts';
import type { Call } from '../sessions/call.ts';
import type { NumberStore } from './numbers.store.ts';
import { secretsPlace } from './trunk-of.ts';

const connection = z.union([
  z
    .object({
      termination_uri: z.string(),
      transport: z.enum(['udp', 'tcp', 'tls']),
      username: z.string().nullable(),
      password: z.string().nullable(),
    })
    .transform(
      ({ termination_uri: terminationUri, transport, username, password }): NumberConnection => ({
        provider: 'hosted_sip',
        terminationUri,
        transport,
        credentials: username && password ? { username, password } : null,
      }),
    ),
  z.object({ account_sid: z.string(), auth_token: z.string() }).transform(
    ({ account_sid: accountSid, auth_token: authToken }): NumberConnection => ({
      provider: 'telco',
      accountSid,
      authToken,
    }),
  ),
]);

type Deps = { numbers: Pick<NumberStore, 'sealedSecrets'>; secrets: Pick<SecretBox, 'open'> };

/** How the number that places a call is connected; decrypted for each call. Rejects if the number was deleted. */
export async function openConnection(
  { numbers, secrets }: Deps,
  { workspaceId, phoneNumberId }: Pick<Call, 'workspaceId' | 'phoneNumberId'>,
): Promise<NumberConnection> {
  const sealed = phoneNumberId && (await numbers.sealedSecrets(workspaceId, phoneNumberId));
  if (!sealed) throw new Error('The number of the call has no connection');
  return readConnection(secrets, phoneNumberId, sealed);
}

/** Rejects if the sealed text is of another number. */
export function readConnection(
  secrets: Pick<SecretBox, 'open'>,
  numberId: string,
  sealed: string,
): NumberConnection {
  return connection.parse(JSON.parse(secrets.open(sealed, secretsPlace(numberId))));
}
