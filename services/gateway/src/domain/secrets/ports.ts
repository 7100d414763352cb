import type { ReencryptedBatch, SecretCount, SecretKeeperName } from '@parley/contracts';

/** A service that keeps secrets, as the operator asks it. */
export type SecretKeeper = {
  name: SecretKeeperName;
  reencrypt(cursor: string | null): Promise<ReencryptedBatch>;
  count(): Promise<SecretCount[]>;
};
