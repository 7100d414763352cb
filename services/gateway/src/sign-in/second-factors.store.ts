import type { SecretBox } from '@parley/kit/secrets';
import type { Clock } from '@parley/kit/time';
import { addAccountEntries } from '../audit/audit-log.store.ts';
import type { AccountChange } from '../people/changes.ts';
import { inTransaction, type PrismaClient } from '../prisma.ts';

export type SecondFactor = {
  secret: string;
  /** The stored form, which `enable` compares with the current secret. */
  sealed: string;
  /** Null until a code has been entered. */
  enabledAt: Date | null;
  codesLeft: number;
};

/** The secret's location, so that a ciphertext cannot be decrypted in another row. */
export const totpSecretPlace = (personId: string): string => `totp_factors:secret:${personId}`;

export type SecondFactorStore = ReturnType<typeof createSecondFactorStore>;

export function createSecondFactorStore({
  prisma,
  box,
  clock,
}: {
  prisma: PrismaClient;
  box: SecretBox;
  clock: Clock;
}) {
  const isEnabled = { confirmedAt: { not: null } };
  return {
    find: async (personId: string): Promise<SecondFactor | undefined> => {
      const row = await prisma.totpFactor.findUnique({
        where: { personId },
        include: { _count: { select: { codes: true } } },
      });
      if (!row) return undefined;
      return {
        secret: box.open(row.secret, totpSecretPlace(personId)),
        sealed: row.secret,
        enabledAt: row.confirmedAt,
        codesLeft: row._count.codes,
      };
    },

    /** Stores a new secret, also in place of one that was never enabled. False: one is enabled. */
    begin: async (personId: string, secret: string): Promise<boolean> => {
      // In one statement, so that a secret that is being enabled right now is not replaced.
      const rows = await prisma.$executeRaw`
        INSERT INTO totp_factors (person_id, secret, created_at)
        VALUES (${personId}::uuid, ${box.seal(secret, totpSecretPlace(personId))}, ${clock.now()})
        ON CONFLICT (person_id) DO UPDATE SET secret = excluded.secret, created_at = excluded.created_at
        WHERE totp_factors.confirmed_at IS NULL`;
      return rows === 1;
    },

    /** False: the secret has been replaced, or is enabled already. */
    enable: (
      personId: string,
      input: { sealed: string; step: number; codeHashes: readonly string[]; sessionId: string },
      by: AccountChange,
    ): Promise<boolean> =>
      inTransaction(prisma, async (tx) => {
        const { sealed, step, codeHashes, sessionId } = input;
        const at = clock.now();
        const { count } = await tx.totpFactor.updateMany({
          where: { personId, secret: sealed, confirmedAt: null },
          data: { confirmedAt: at, lastStep: step },
        });
        if (count === 0) return false;
        await tx.recoveryCode.createMany({ data: codeHashes.map((codeHash) => ({ personId, codeHash })) });
        await tx.session.updateMany({
          where: { id: sessionId, personId },
          data: { signedInBy: 'second_factor' },
        });
        await addAccountEntries(tx, personId, by, { action: 'member.second_factor_enabled', at });
        return true;
      }),

    /** False: the code of this step, or of a later one, was used before. */
    useStep: async (personId: string, step: number): Promise<boolean> => {
      const where = { personId, ...isEnabled, lastStep: { lt: step } };
      return (await prisma.totpFactor.updateMany({ where, data: { lastStep: step } })).count === 1;
    },

    /** False: no such code, or it was used before. */
    useRecoveryCode: async (personId: string, codeHashes: readonly string[]): Promise<boolean> => {
      const where = { personId, codeHash: { in: [...codeHashes] }, factor: isEnabled };
      return (await prisma.recoveryCode.deleteMany({ where })).count === 1;
    },

    replaceRecoveryCodes: (personId: string, codeHashes: readonly string[], by: AccountChange) =>
      inTransaction(prisma, async (tx) => {
        await tx.$queryRaw`SELECT 1 FROM totp_factors WHERE person_id = ${personId}::uuid FOR NO KEY UPDATE`;
        await tx.recoveryCode.deleteMany({ where: { personId } });
        await tx.recoveryCode.createMany({ data: codeHashes.map((codeHash) => ({ personId, codeHash })) });
        const at = clock.now();
        await addAccountEntries(tx, personId, by, { action: 'member.recovery_codes_renewed', at });
      }),

    /** Sessions that were opened with it count as opened by the password only from now on. False if there was none. */
    remove: (personId: string, by: AccountChange): Promise<boolean> =>
      inTransaction(prisma, async (tx) => {
        const where = { personId };
        const factor = await tx.totpFactor.findUnique({ where });
        if (!factor || (await tx.totpFactor.deleteMany({ where })).count === 0) return false;
        await tx.session.updateMany({
          where: { personId, signedInBy: 'second_factor' },
          data: { signedInBy: 'password' },
        });
        const at = clock.now();
        if (factor.confirmedAt)
          await addAccountEntries(tx, personId, by, { action: 'member.second_factor_disabled', at });
        return true;
      }),
  };
}
