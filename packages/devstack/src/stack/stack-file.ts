import { randomBytes, randomInt } from 'node:crypto';
import { newSigningSeed } from '@parley/kit/secrets';
import { z } from 'zod';
import { Problem } from '../terminal/problem.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';
import { SERVICES } from './services.ts';

/** The persistent settings of a stack: without its secrets its stored data cannot be read. */
const stackFile = z.object({
  name: z.string(),
  /** Password of the private servers. */
  serverPassword: z.string().min(1),
  /** `service:seed` of each service, comma-separated, for signing internal tokens. */
  INTERNAL_KEYS: z.string().min(1),
  KEY_PEPPER: z.string().min(32),
  ENCRYPTION_KEYS: z.string().min(1),
  RECORDING_URL_SECRET: z.string().min(32),
});

export type Stack = z.output<typeof stackFile>;

const NAME = /^[a-z][a-z0-9_]{0,39}$/;

/**
 * The stack of this checkout: a name, which separates its databases, queues and keys from those of other stacks on the same servers,
 * and its secrets. Both are created on the first run; `STACK_NAME` overrides the name.
 */
export function openStack(path: string, env: NodeJS.ProcessEnv): Stack {
  const kept = readJsonFile(path, z.record(z.string(), z.string()));
  const stack = stackFile.parse({ ...makeStack(), ...kept });
  // Keep unknown fields: they belong to another version, which may run again.
  if (Object.keys(stack).some((key) => !Object.hasOwn(kept ?? {}, key)))
    writeJsonFile(path, { ...kept, ...stack });
  const name = env.STACK_NAME || stack.name;
  if (NAME.test(name)) return { ...stack, name };
  throw new Problem(
    `STACK_NAME "${name}" must have 1-40 lowercase letters, digits and _, starting with a letter.`,
  );
}

const SECRETS = ['ENCRYPTION_KEYS', 'KEY_PEPPER', 'RECORDING_URL_SECRET'] as const;

/** A warning about secrets of the shell that differ from those of the stack, which take precedence. */
export function ignoredSecrets(env: NodeJS.ProcessEnv, stack: Stack): string | undefined {
  const names = SECRETS.filter((name) => env[name] && env[name] !== stack[name]);
  if (names.length === 0) return undefined;
  const verb = names.length === 1 ? 'is' : 'are';
  return `  ${names.join(', ')} of the shell ${verb} ignored: the stack uses .stack/stack.json`;
}

function makeStack(): Stack {
  const secret = () => randomBytes(32).toString('base64url');
  return {
    name: `parley_${randomWord(6)}`,
    serverPassword: secret(),
    INTERNAL_KEYS: SERVICES.map((name) => `${name}:${newSigningSeed().toString('base64')}`).join(','),
    KEY_PEPPER: secret(),
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    RECORDING_URL_SECRET: secret(),
  };
}

function randomWord(length: number): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}
