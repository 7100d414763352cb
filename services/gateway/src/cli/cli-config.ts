import { encryptionKeys, postgresUrl, url } from '@parley/kit/config';
import { z } from 'zod';
import { peopleConfig } from '../people-config.ts';

/** What the operator's command reads: less than the service, and nothing that only a running one has. */
export const cliConfigSchema = z.object({
  DATABASE_URL: postgresUrl,
  PUBLIC_URL: peopleConfig.PUBLIC_URL,
  INVITATION_DAYS: peopleConfig.INVITATION_DAYS,
  PASSWORD_COST: peopleConfig.PASSWORD_COST,
  KEY_PEPPER: z.string().min(32),
  ENCRYPTION_KEYS: encryptionKeys,
  INTERNAL_TOKEN_SECRET: z.string().min(32),
  GATEWAY_INTERNAL_URL: url,
  ASSISTANTS_URL: url,
  TELEPHONY_URL: url,
  CLOCK_RATE: z.coerce.number().positive().default(1),
  CLOCK_ORIGIN_MS: z.coerce.number().int().default(0),
});

export type CliConfig = Readonly<z.output<typeof cliConfigSchema>>;
