import { AppError } from '@parley/kit/errors';
import type { ListAnswer } from '@parley/kit/http';

/**
 * A page of a page-numbered list (D1.4): past the last page there is `500 INTERNAL_ERROR` every time, but page 1 of an
 * empty list is empty.
 */
export function toListPage<Item>(
  { page, size }: { page: number; size: number },
  { items, total }: { items: Item[]; total: number },
): ListAnswer<Item> {
  const pages = Math.max(1, Math.ceil(total / size));
  if (page > pages) throw new AppError('INTERNAL_ERROR', `Page ${page} is past the last page (${pages})`);
  return { items, total, nextCursor: page < pages ? String(page + 1) : null };
}
