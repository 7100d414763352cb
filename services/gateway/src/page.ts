import type { ListPage } from '@parley/kit/http';

/** A page of an offset list [general.14]. */
export type Page = { limit: number; offset: number };
export type Paged<T> = { items: T[]; total: number };

export function toListAnswer<T>({ offset }: Page, { items, total }: Paged<T>): ListPage<T> {
  const next = offset + items.length;
  return { items, total, nextCursor: items.length > 0 && next < total ? String(next) : null };
}
