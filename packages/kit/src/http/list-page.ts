import { AppError } from '../errors/index.ts';
import type { ListPage, StreamedList } from './handler.ts';

/** A page of a page-numbered list. Beyond the last page: `500 INTERNAL_ERROR`, as callers rely on; an empty list has a first page [general.13]. */
export function toListPage<Item>(
  wanted: { page: number; size: number },
  found: { items: Item[]; total: number },
): ListPage<Item>;
export function toListPage<Item>(
  wanted: { page: number; size: number },
  found: { items: AsyncIterable<Item>; total: number },
): StreamedList<Item>;
export function toListPage<Items>(
  { page, size }: { page: number; size: number },
  { items, total }: { items: Items; total: number },
): { items: Items; total: number; nextCursor: string | null } {
  const pages = Math.max(1, Math.ceil(total / size));
  if (page > pages) throw new AppError('INTERNAL_ERROR', `Page ${page} is past the last page (${pages})`);
  return { items, total, nextCursor: page < pages ? String(page + 1) : null };
}

/** A page of an offset list. Past the end: an empty page without a next one [general.13]. */
export function toOffsetPage<Item>(
  { offset }: { offset: number },
  { items, total }: { items: Item[]; total: number },
): ListPage<Item> {
  const next = offset + items.length;
  return { items, total, nextCursor: items.length > 0 && next < total ? String(next) : null };
}
