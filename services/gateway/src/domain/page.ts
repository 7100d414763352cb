import type { ListAnswer } from '@parley/kit/http';

/** A part of an offset list (D1.4). */
export type Page = { limit: number; offset: number };
export type Paged<T> = { items: T[]; total: number };

/** An offset past the end is an empty page. */
export function toListAnswer<T>({ offset }: Page, { items, total }: Paged<T>): ListAnswer<T> {
  const next = offset + items.length;
  return { items, total, nextCursor: items.length > 0 && next < total ? String(next) : null };
}
