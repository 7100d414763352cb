import { causesOf } from '../errors/index.ts';

/** Which unique index refused a row; Postgres names the constraint, older paths of Prisma the fields. */
export type UniqueViolation = { constraint?: string; fields?: string[] };

/**
 * What a unique index had against a write, through Prisma's models (P2002), its raw queries (P2010) and pg alike;
 * undefined for every other error.
 */
export function uniqueViolation(err: unknown): UniqueViolation | undefined {
  const causes = [...causesOf(err)];
  if (!causes.some(isUnique)) return undefined;
  return causes.map(namesOf).find((names) => names.constraint ?? names.fields) ?? {};
}

/** A deadlock or a serialization failure: the transaction was rolled back whole and may be tried again. */
export function isTransactionConflict(err: unknown): boolean {
  return [...causesOf(err)].some(
    ({ code, originalCode, kind }) =>
      [code, originalCode].some((given) => given === '40001' || given === '40P01' || given === 'P2034') ||
      kind === 'TransactionWriteConflict',
  );
}

/** A row was held by another transaction for longer than `lock_timeout`. */
export function isLockTimeout(err: unknown): boolean {
  return [...causesOf(err)].some(({ code, originalCode }) => [code, originalCode].includes('55P03'));
}

function isUnique({ code, originalCode, kind }: Record<string, unknown>): boolean {
  return (
    code === 'P2002' || code === '23505' || originalCode === '23505' || kind === 'UniqueConstraintViolation'
  );
}

function namesOf({ constraint }: Record<string, unknown>): UniqueViolation {
  // pg tells the name, Prisma's adapter `{index}` or `{fields}`.
  if (typeof constraint === 'string') return { constraint };
  const { index, fields } = (constraint ?? {}) as { index?: unknown; fields?: unknown };
  return {
    ...(typeof index === 'string' ? { constraint: index } : {}),
    ...(Array.isArray(fields) ? { fields: fields.map(String) } : {}),
  };
}
