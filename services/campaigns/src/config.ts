import { brokerConfig, serviceConfig, url } from '@parley/kit/config';
import { z } from 'zod';

export const configSchema = serviceConfig({
  ...brokerConfig,
  ASSISTANTS_URL: url,
  TELEPHONY_URL: url,
  /** Uploads that write contacts at the same moment; each holds a connection of its own beside `DATABASE_POOL`. */
  IMPORT_CONNECTIONS: z.coerce.number().int().min(1).max(100).default(4),
  /** Uploads that are still coming hold so much of the disk (`TMPDIR`) together; the next one is answered 503. */
  UPLOAD_SPOOL_MB: z.coerce.number().int().min(1).default(4096),
  /** The most requests per number that telephony holds undialled, however fast the number is. */
  DIAL_WINDOW_MAX: z.coerce.number().int().min(1).max(10_000).default(200),
});

export type Config = Readonly<z.output<typeof configSchema>>;
