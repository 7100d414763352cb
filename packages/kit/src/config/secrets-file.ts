import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError } from './config-error.ts';

type Environment = Record<string, string | undefined>;

/**
 * The environment with the variables of `SECRETS_FILE` (lines of `NAME=value`); set and non-empty variables win. A file on a volume keeps
 * secrets out of `docker inspect` in deployments without a secret store.
 */
export function withSecretsFile(env: Environment): Environment {
  const path = env.SECRETS_FILE;
  if (!path) return env;
  const set = Object.entries(env).filter(([, value]) => value !== undefined && value !== '');
  return { ...readEnvFile(path), ...Object.fromEntries(set) };
}

function readEnvFile(path: string): Environment {
  try {
    return { ...parseEnv(readFileSync(path, 'utf8')) };
  } catch {
    throw new ConfigError([`SECRETS_FILE ${path} cannot be read`]);
  }
}
