import { z } from 'zod';
import { amqpUrl, postgresUrl, url } from './shapes.ts';

/** What every service reads from its environment; `serviceConfig` adds a service's own. */
export const commonConfig = {
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535),
  DATABASE_URL: postgresUrl,
  DATABASE_POOL: z.coerce.number().int().min(1).max(500).default(10),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  CLOCK_RATE: z.coerce.number().positive().max(100_000).default(1),
  CLOCK_ORIGIN_MS: z.coerce.number().int().min(0).optional(),
  INTERNAL_TOKEN_SECRET: z.string().min(32),
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
  /** How long requests are still served once the process is told to stop; a part of the deadline. */
  STOP_DRAIN_MS: z.coerce.number().int().min(0).max(60_000).default(0),
  STOP_DEADLINE_MS: z.coerce.number().int().min(1_000).max(600_000).default(30_000),
};

/** What a service that talks over the broker reads besides. */
export const brokerConfig = {
  AMQP_URL: amqpUrl,
  AMQP_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/)
    .default('parley'),
};

/** Rules over several variables are checked even where another variable is wrong: all problems come at once. */
const always = { when: () => true };

/** The schema of a service's environment: the common variables, its own, and the rules of the clock (D9). */
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
    });
}

/** Where other variables are wrong these may be missing: then the rules have nothing to say. */
function ofClock(config: unknown): { env: unknown; rate: unknown; origin: unknown } {
  const { NODE_ENV, CLOCK_RATE, CLOCK_ORIGIN_MS } = config as Record<string, unknown>;
  return { env: NODE_ENV, rate: CLOCK_RATE ?? 1, origin: CLOCK_ORIGIN_MS };
}
