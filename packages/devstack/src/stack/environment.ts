import { publicKeyOf } from '@parley/kit/secrets';
import { z } from 'zod';
import { inStack } from './folders.ts';
import { forEachService, type Ports, type ServiceName } from './services.ts';
import type { Stack } from './stack-file.ts';

export type Environment = Record<string, string>;

const environment = z.record(z.string(), z.string());

/** `.stack/env.json`: the stack's addresses and the environment of each service. */
export const environmentFile = z.object({
  stack: z.string(),
  gatewayUrl: z.string(),
  services: z.object(forEachService(() => environment)),
});

export type EnvironmentFile = z.output<typeof environmentFile>;

export type EnvironmentInput = {
  stack: Stack;
  /** URLs of the servers, without a database. */
  urls: { postgres: string; redis: string; rabbitmq: string };
  ports: Ports;
  /** Variables set by the operator. */
  given: NodeJS.ProcessEnv;
  /** The real instant at which a faster clock starts. */
  originMs: number;
  /** Telephony's variables for the SIP edge. */
  edge?: Environment;
};

/**
 * The environment of each service of a development stack: all on loopback, each with its own database and only the secrets that it
 * needs.
 */
export function serviceEnvironments(input: EnvironmentInput): Record<ServiceName, Environment> {
  const { stack, urls, ports, given, edge } = input;
  const at = (port: number) => `http://127.0.0.1:${port}`;
  const clients = {
    OUTBOUND_ALLOW_CIDRS: given.OUTBOUND_ALLOW_CIDRS ?? '127.0.0.0/8,::1/128',
    OUTBOUND_ALLOW_HOSTS: given.OUTBOUND_ALLOW_HOSTS ?? '',
  };
  const broker = { AMQP_URL: urls.rabbitmq, AMQP_PREFIX: stack.name };
  const { ENCRYPTION_KEYS, KEY_PEPPER, RECORDING_URL_SECRET } = stack;
  const own: Record<ServiceName, Environment> = {
    gateway: {
      ...broker,
      INTERNAL_PORT: String(ports.internal),
      REDIS_URL: urls.redis,
      REDIS_PREFIX: stack.name,
      PUBLIC_URL: given.PUBLIC_URL || at(ports.gateway),
      DEMO_FILE: inStack('demo.json'),
      KEY_PEPPER,
      ENCRYPTION_KEYS,
    },
    assistants: { ...broker, ENCRYPTION_KEYS, ...clients },
    telephony: {
      ...broker,
      ENCRYPTION_KEYS,
      RECORDING_URL_SECRET,
      RECORDINGS_DIR: given.RECORDINGS_DIR || inStack('recordings'),
      PUBLIC_URL: given.PUBLIC_URL || at(ports.gateway),
      ...clients,
      ...edge,
    },
    campaigns: broker,
    webhooks: { ...broker, ...clients },
  };
  const shared: Environment = {
    NODE_ENV: given.NODE_ENV || 'development',
    HOST: '127.0.0.1',
    GATEWAY_INTERNAL_URL: at(ports.internal),
    ASSISTANTS_URL: at(ports.assistants),
    TELEPHONY_URL: at(ports.telephony),
    CAMPAIGNS_URL: at(ports.campaigns),
    WEBHOOKS_URL: at(ports.webhooks),
    ...clock(input),
  };
  return forEachService((name) => ({
    ...shared,
    PORT: String(ports[name]),
    DATABASE_URL: databaseUrl(urls.postgres, stack.name, name),
    ...own[name],
    ...internalKeys(stack, name),
  }));
}

/** The service's signing key and the public keys of all services [trust.15]. */
function internalKeys({ INTERNAL_KEYS }: Stack, service: ServiceName): Environment {
  const seeds = INTERNAL_KEYS.split(',').map((entry): [string, string] => {
    const at = entry.indexOf(':');
    return [entry.slice(0, at), entry.slice(at + 1)];
  });
  const verify = seeds.map(
    ([name, seed]) => `${name}:${publicKeyOf(Buffer.from(seed, 'base64')).toString('base64')}`,
  );
  const own = seeds.find(([name]) => name === service);
  return { INTERNAL_SIGNING_KEYS: own?.[1] ?? '', INTERNAL_VERIFY_KEYS: verify.join(',') };
}

/** The database of a service, on the server at `serverUrl`. */
export function databaseUrl(serverUrl: string, stack: string, service: ServiceName): string {
  const url = new URL(serverUrl);
  url.pathname = `/${stack}_${service}`;
  return url.href;
}

function clock({ given, originMs }: EnvironmentInput): Environment {
  const CLOCK_RATE = given.CLOCK_RATE || '1';
  return {
    CLOCK_RATE,
    ...(CLOCK_RATE === '1' ? {} : { CLOCK_ORIGIN_MS: given.CLOCK_ORIGIN_MS || String(originMs) }),
  };
}
