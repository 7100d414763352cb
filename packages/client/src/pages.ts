import type { Route } from './route.ts';

export type Page<Item> = {
  items: Item[];
  /** Total number of matches. */
  total: number;
  /** Cursor of the next page; null on the last one. */
  nextCursor: string | null;
};

/** Awaited: the requested page. Iterated: all items from that page on. */
export type PageRequest<Item> = Promise<Page<Item>> & AsyncIterable<Item>;

export type ListBody = {
  data: unknown[];
  pagination: { total: number; next_cursor: string | null };
};

type Input = Record<string, unknown>;

/** Requests the first page immediately, and each further page once the items before it have been consumed. */
export function requestPages(
  route: Route,
  input: Input,
  request: (input: Input) => Promise<ListBody>,
): PageRequest<unknown> {
  // The cursor of lists with POST is a page number, otherwise an item offset.
  const cursorName = route.method === 'POST' ? 'page' : 'offset';
  const first = request(input).then(toPage);
  async function* items(): AsyncGenerator<unknown> {
    let page = await first;
    for (;;) {
      yield* page.items;
      if (page.nextCursor === null) return;
      page = toPage(await request({ ...input, [cursorName]: Number(page.nextCursor) }));
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: items });
}

function toPage({ data, pagination }: ListBody): Page<unknown> {
  return { items: data, total: pagination.total, nextCursor: pagination.next_cursor };
}
