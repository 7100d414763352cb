import { z } from 'zod';
import { signingKeys, verifyKeys } from './internal-keys.ts';
import { isLoopback, publishedSecrets } from './published-secrets.ts';
import { amqpUrl, postgresUrl, url } from './shapes.ts';

/** The variables of every service; `serviceConfig` adds its own. */
const commonConfig = {
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535),
  DATABASE_URL: postgresUrl,
  DATABASE_POOL: z.coerce.number().int().min(1).max(500).default(10),
  /** Timeout of one statement of a client's read. */
  READ_TIMEOUT_MS: z.coerce.number().int().min(100).max(15_000).default(5_000),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  CLOCK_RATE: z.coerce.number().positive().max(100_000).default(1),
  CLOCK_ORIGIN_MS: z.coerce.number().int().min(0).optional(),
  /** The seeds of this service; the first signs its internal tokens [trust.15]. */
  INTERNAL_SIGNING_KEYS: signingKeys,
  /** The public keys of all services. */
  INTERNAL_VERIFY_KEYS: verifyKeys,
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
  /** How long requests are still served after SIGTERM; part of the shutdown deadline. */
  STOP_DRAIN_MS: z.coerce.number().int().min(0).max(60_000).default(0),
  STOP_DEADLINE_MS: z.coerce.number().int().min(1_000).max(600_000).default(30_000),
};

/** The variables of RabbitMQ. */
export const brokerConfig = {
  AMQP_URL: amqpUrl,
  AMQP_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/)
    .default('parley'),
  /** `provided`: queues exist already, and services have users that may not declare any (docs/operations.md). */
  AMQP_TOPOLOGY: z.enum(['declare', 'provided']).default('declare'),
};

export type CommonConfig = z.output<z.ZodObject<typeof commonConfig>>;
export type BrokerConfig = z.output<z.ZodObject<typeof brokerConfig>>;

/** Rules over several variables run even if another variable is invalid, so that all problems are reported at once. */
const always = { when: () => true };

/** The schema of a service's environment: common variables, its own, and the rules of the clock [running.1] and of published secrets [trust.16]. */
export function serviceConfig<Own extends z.ZodRawShape>(own: Own) {
  return z
    .object({ ...commonConfig, ...own })
    .refine((config) => ofClock(config).rate === 1 || ofClock(config).env !== 'production', {
      ...always,
      path: ['CLOCK_RATE'],
      error: 'must be 1 in production',
    })
    .refine((config) => ofClock(config).rate === 1 || ofClock(config).origin !== undefined, {
      ...always,
      path: ['CLOCK_ORIGIN_MS'],
      error: 'is required when CLOCK_RATE is not 1',
    })
    .superRefine((config, ctx) => {
      const { HOST, ...others } = config as Record<string, unknown>;
      if (typeof HOST !== 'string' || isLoopback(HOST)) return;
      for (const name of publishedSecrets(others)) {
        const message = 'is a published development value: set your own, or listen on loopback only (HOST)';
        ctx.addIssue({ code: 'custom', path: [name], message });
      }
    });
}

/** May be undefined if other variables are invalid. */
function ofClock(config: unknown): { env: unknown; rate: unknown; origin: unknown } {
  const { NODE_ENV, CLOCK_RATE, CLOCK_ORIGIN_MS } = config as Record<string, unknown>;
  return { env: NODE_ENV, rate: CLOCK_RATE ?? 1, origin: CLOCK_ORIGIN_MS };
}
