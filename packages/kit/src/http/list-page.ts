import { AppError } from '../errors/index.ts';
import type { ListAnswer } from './handler.ts';

/**
 * A page of a page-numbered list. Beyond the last page is `500 INTERNAL_ERROR` every time, but an empty list has a
 * first page. spec: D1.4.
 */
export function toListPage<Item>(
  { page, size }: { page: number; size: number },
  { items, total }: { items: Item[]; total: number },
): ListAnswer<Item> {
  const pages = Math.max(1, Math.ceil(total / size));
  if (page > pages) throw new AppError('INTERNAL_ERROR', `Page ${page} is past the last page (${pages})`);
  return { items, total, nextCursor: page < pages ? String(page + 1) : null };
}
