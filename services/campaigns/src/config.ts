import { brokerConfig, serviceConfig, url } from '@parley/kit/config';
import { z } from 'zod';

export const configSchema = serviceConfig({
  ...brokerConfig,
  ASSISTANTS_URL: url,
  TELEPHONY_URL: url,
  /** Concurrent imports, each with a connection of its own in addition to `DATABASE_POOL`. */
  IMPORT_CONNECTIONS: z.coerce.number().int().min(1).max(100).default(4),
  /** Maximum disk space (`TMPDIR`) of all running uploads; above it they get 503. */
  UPLOAD_SPOOL_MB: z.coerce.number().int().min(1).default(4096),
  /** Maximum undialed requests per number at telephony, whatever the number's rate. */
  DIAL_WINDOW_MAX: z.coerce.number().int().min(1).max(10_000).default(200),
});

export type Config = Readonly<z.output<typeof configSchema>>;
