import { brokerConfig, serviceConfig, url } from '@parley/kit/config';
import { z } from 'zod';

export const configSchema = serviceConfig({
  ...brokerConfig,
  ASSISTANTS_URL: url,
  TELEPHONY_URL: url,
  /** Uploads that write at the same time, each on a connection of its own besides `DATABASE_POOL`. */
  IMPORT_CONNECTIONS: z.coerce.number().int().min(1).max(100).default(4),
  /** Disk space (`TMPDIR`) of all running uploads together; beyond it they get 503. */
  UPLOAD_SPOOL_MB: z.coerce.number().int().min(1).default(4096),
  /** Undialed requests per number at telephony, however fast the number is. */
  DIAL_WINDOW_MAX: z.coerce.number().int().min(1).max(10_000).default(200),
});

export type Config = Readonly<z.output<typeof configSchema>>;
