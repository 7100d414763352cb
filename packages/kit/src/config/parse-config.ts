import type { ZodType, z } from 'zod';
import { zodDetails } from '../errors/index.ts';
import { ConfigError } from './config-error.ts';
import { withSecretsFile } from './secrets-file.ts';

/**
 * Parses and freezes the configuration of a process. Empty variables count as absent, as in a compose file, and `SECRETS_FILE` supplies
 * absent ones. Throws `ConfigError` with all problems.
 */
export function parseConfig<S extends ZodType>(
  schema: S,
  env: Record<string, string | undefined>,
): Readonly<z.output<S>> {
  const given = Object.fromEntries(
    Object.entries(withSecretsFile(env)).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = schema.safeParse(given, { reportInput: true });
  if (!result.success) {
    const details = zodDetails(result.error);
    throw new ConfigError([...new Set(details.map(({ message }) => message))]);
  }
  return deepFreeze(result.data);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}
