import { countSecretsOf, reencryptSecretsOf, type SecretKeeperName } from '@parley/contracts';
import type { Peer } from '@parley/kit/http';
import type { SecretKeeper } from '../domain/secrets/ports.ts';
import { OPERATOR } from './operator.ts';

export function createSecretKeeper(name: SecretKeeperName, peer: Peer): SecretKeeper {
  const reencryptEndpoint = reencryptSecretsOf(name);
  const countEndpoint = countSecretsOf(name);
  return {
    name,
    reencrypt: (cursor) => peer.call(reencryptEndpoint, { body: { cursor } }, OPERATOR),
    count: () => peer.call(countEndpoint, {}, OPERATOR),
  };
}
