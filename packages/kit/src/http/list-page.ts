import { AppError } from '../errors/index.ts';
import type { ListAnswer } from './handler.ts';

/**
 * A page of a page-numbered list. A page past the last one is `500 INTERNAL_ERROR` every time; page 1 of an empty list
 * is empty. spec: D1.4.
 */
export function toListPage<Item>(
  { page, size }: { page: number; size: number },
  { items, total }: { items: Item[]; total: number },
): ListAnswer<Item> {
  const pages = Math.max(1, Math.ceil(total / size));
  if (page > pages) throw new AppError('INTERNAL_ERROR', `Page ${page} is past the last page (${pages})`);
  return { items, total, nextCursor: page < pages ? String(page + 1) : null };
}
