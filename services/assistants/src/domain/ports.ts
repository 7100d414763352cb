import type { Sql } from '@parley/kit/db';
import type { Idempotency } from '@parley/kit/idempotency';

/** Runs in one transaction of this service's database; what was enqueued in it leaves after the commit. */
export type Transact = <R>(work: (tx: Sql) => Promise<R>) => Promise<R>;

/** Who asks for something new, and how the answer is remembered. */
export type CreateRequest = { workspaceId: string; requestId: string; idempotency: Idempotency };

/** What of a list is wanted; `search` is a part of the name in any case. */
export type Search = { search?: string | undefined; limit: number; offset: number };

export type Page<Item> = { items: Item[]; total: number };
