import { causesOf } from '../errors/index.ts';
import { isStatementTimeout } from './client-reads.ts';

/** The violated unique index: by its name, or on older paths of Prisma by its fields. */
export type UniqueViolation = { constraint?: string; fields?: string[] };

/**
 * The unique index that was violated, from an error of Prisma's models (P2002), of its raw queries (P2010) or of pg; undefined for
 * other errors.
 */
export function uniqueViolation(err: unknown): UniqueViolation | undefined {
  const causes = [...causesOf(err)];
  if (!causes.some(isUnique)) return undefined;
  return causes.map(namesOf).find((names) => names.constraint ?? names.fields) ?? {};
}

/** A deadlock or a serialization failure: the transaction was rolled back and can be retried. */
export function isTransactionConflict(err: unknown): boolean {
  return [...causesOf(err)].some(
    ({ code, originalCode, kind }) =>
      [code, originalCode].some((given) => given === '40001' || given === '40P01' || given === 'P2034') ||
      kind === 'TransactionWriteConflict',
  );
}

/** Whether a lock was not acquired within `lock_timeout`. */
export function isLockTimeout(err: unknown): boolean {
  return [...causesOf(err)].some(({ code, originalCode }) => [code, originalCode].includes('55P03'));
}

/** Whether Postgres cancelled a statement, or Prisma a transaction, that took too long: it was rolled back. */
export function isTransactionTimeout(err: unknown): boolean {
  return isStatementTimeout(err) || [...causesOf(err)].some(({ code }) => code === 'P2028');
}

function isUnique({ code, originalCode, kind }: Record<string, unknown>): boolean {
  return (
    code === 'P2002' || code === '23505' || originalCode === '23505' || kind === 'UniqueConstraintViolation'
  );
}

function namesOf({ constraint }: Record<string, unknown>): UniqueViolation {
  // pg has the name, Prisma's adapter `{index}` or `{fields}`.
  if (typeof constraint === 'string') return { constraint };
  const { index, fields } = (constraint ?? {}) as { index?: unknown; fields?: unknown };
  return {
    ...(typeof index === 'string' ? { constraint: index } : {}),
    ...(Array.isArray(fields) ? { fields: fields.map(String) } : {}),
  };
}
