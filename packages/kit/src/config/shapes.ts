import { isIP } from 'node:net';
import { z } from 'zod';
import { isHostName } from '../outbound/host-name.ts';

function urlOf(protocols: readonly string[], words: string): z.ZodType<string, string> {
  return z
    .string()
    .refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), words);
}

/** An http or https URL, without a trailing slash. */
export const url = urlOf(['http:', 'https:'], 'must be an http or https URL').transform((value) =>
  value.replace(/\/+$/, ''),
);
export const postgresUrl = urlOf(['postgres:', 'postgresql:'], 'must be a postgres URL');
export const amqpUrl = urlOf(['amqp:', 'amqps:'], 'must be an amqp URL');
export const redisUrl = urlOf(['redis:', 'rediss:'], 'must be a redis URL');

/** A flag: `true`, `false`, `1` or `0`. */
export const flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((value) => value === 'true' || value === '1');

/** The items of a comma list, without surrounding space; empty ones, such as after a last comma, do not count. */
export function listItems(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** A comma list of address ranges (`10.0.0.0/8, ::1`); a bare address is a range of one. Empty by default. */
export const cidrList = z
  .string()
  .default('')
  .transform(listItems)
  .refine((items) => items.every(isCidr), 'must be a comma list of CIDR ranges');

/** A comma list of exact host names without port or wildcard, converted to lower case. Empty by default. */
export const hostList = z
  .string()
  .default('')
  .transform((value) => listItems(value.toLowerCase()))
  .refine(
    (items) => items.every((item) => isHostName(item) && isIP(item) === 0),
    'must be a comma list of host names',
  );

function isCidr(item: string): boolean {
  const [address = '', bits, ...rest] = item.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** A key of `ENCRYPTION_KEYS`: 32 bytes, and the id in sealed values. */
export type EncryptionKey = { id: string; key: Buffer };

/** `id:base64,id:base64`, 32 bytes each: the first encrypts, all decrypt. */
export const encryptionKeys = z.string().transform((value, ctx): EncryptionKey[] => {
  const keys = value.split(',').map((item) => readKey(item.trim()));
  const found = keys.filter((key) => key !== undefined);
  if (found.length < keys.length || new Set(found.map(({ id }) => id)).size < found.length) {
    ctx.addIssue({
      code: 'custom',
      message: 'must be a comma list of id:base64 with distinct ids and 32 bytes each',
    });
    return z.NEVER;
  }
  return found;
});

function readKey(item: string): EncryptionKey | undefined {
  const [, id, encoded] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]+={0,2})$/.exec(item) ?? [];
  const key = Buffer.from(encoded ?? '', 'base64');
  return id !== undefined && key.length === 32 ? { id, key } : undefined;
}
