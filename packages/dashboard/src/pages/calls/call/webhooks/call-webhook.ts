import type { listCallWebhooks, ResponseOf } from '@parley/contracts';

/** A webhook event of a call with its attempts. */
export type CallWebhook = ResponseOf<typeof listCallWebhooks>[number];
