import type { AnyEndpoint } from '@parley/contracts';

export type Page<Item> = {
  items: Item[];
  /** All matches. */
  total: number;
  /** What the next page is asked for by; null at the end. */
  nextCursor: string | null;
};

/** The page that was asked for, when it is awaited; every item from there on, when it is iterated. */
export type PageRequest<Item> = Promise<Page<Item>> & AsyncIterable<Item>;

export type ListBody = {
  data: unknown[];
  pagination: { total: number; next_cursor: string | null };
};

type Input = Record<string, unknown>;

/** Asks for the first page at once, and for each further one when the items before it have been taken. */
export function requestPages(
  endpoint: AnyEndpoint,
  input: Input,
  request: (input: Input) => Promise<ListBody>,
): PageRequest<unknown> {
  // Lists that are asked by POST count pages, the others items.
  const cursorName = endpoint.method === 'POST' ? 'page' : 'offset';
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
