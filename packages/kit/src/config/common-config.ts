import { z } from 'zod';
import { amqpUrl, postgresUrl, url } from './shapes.ts';

/** What every service reads from its environment; spread into its own `z.object` and refined by `checkClock`. */
export const commonConfig = {
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535),
  DATABASE_URL: postgresUrl,
  DATABASE_POOL: z.coerce.number().int().min(1).max(500).default(10),
  AMQP_URL: amqpUrl,
  AMQP_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/)
    .default('parley'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  CLOCK_RATE: z.coerce.number().positive().max(100_000).default(1),
  CLOCK_ORIGIN_MS: z.coerce.number().int().min(0).optional(),
  INTERNAL_TOKEN_SECRET: z.string().min(32),
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
  STOP_DEADLINE_MS: z.coerce.number().int().min(1_000).max(600_000).default(30_000),
};

type ClockConfig = { NODE_ENV: string; CLOCK_RATE: number; CLOCK_ORIGIN_MS?: number | undefined };

/** A faster clock never runs in production, and all processes must agree on when it began (D9). */
function checkClock(config: ClockConfig, ctx: z.RefinementCtx): void {
  if (config.CLOCK_RATE === 1) return;
  if (config.NODE_ENV === 'production') {
    ctx.addIssue({ code: 'custom', path: ['CLOCK_RATE'], message: 'must be 1 in production' });
  }
  if (config.CLOCK_ORIGIN_MS === undefined) {
    const message = 'is required when CLOCK_RATE is not 1';
    ctx.addIssue({ code: 'custom', path: ['CLOCK_ORIGIN_MS'], message });
  }
}

/** The schema of a service's environment: the common variables, its own, and the rules of the clock (D9). */
export function serviceConfig<Own extends z.ZodRawShape>(own: Own) {
  const schema = z.object({ ...commonConfig, ...own });
  return schema.superRefine((config, ctx) => checkClock(config as ClockConfig, ctx));
}
