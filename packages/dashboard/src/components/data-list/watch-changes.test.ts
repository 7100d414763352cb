import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { refresh } from '../../live/use-live-updates.ts';
import { watchChanges } from './watch-changes.ts';

const tick = () => new Promise((resolve) => setTimeout(resolve, 5));
const CHANGED = new Map([['contacts', 'any' as const]]);

describe('a list of many pages [dashboard.9]', () => {
  let client: QueryClient;
  beforeEach(() => {
    client = new QueryClient({ defaultOptions: { queries: { gcTime: Number.POSITIVE_INFINITY } } });
    Object.assign(globalThis, { document: { visibilityState: 'visible' } });
  });
  afterEach(() => {
    client.clear();
    Reflect.deleteProperty(globalThis, 'document');
  });

  const open = async (pages: number) => {
    const reports: boolean[] = [];
    let requests = 0;
    const observer = new InfiniteQueryObserver(client, {
      queryKey: ['contacts', 'c'],
      queryFn: async ({ pageParam }) => {
        requests += 1;
        return pageParam;
      },
      initialPageParam: 0,
      getNextPageParam: (last: number) => last + 1,
      staleTime: 1e9,
    });
    const leave = observer.subscribe(() => {});
    for (let page = 0; page < pages; page += 1) {
      if (page > 0) await observer.fetchNextPage();
      await tick();
    }
    watchChanges(client, ['contacts', 'c'], (isOutdated) => reports.push(isOutdated));
    return { observer, reports, leave, requests: () => requests };
  };

  it('is not read again with every change, but says that it has changed; more pages of it do not hide that', async () => {
    const { observer, reports, leave, requests } = await open(4);
    refresh(client, CHANGED, new Set());
    await tick();
    expect([requests(), reports]).toEqual([4, [true]]);
    await observer.fetchNextPage();
    expect(reports).toEqual([true]);
    await observer.refetch();
    expect(reports).toEqual([true, false]);
    leave();
  });

  it('of up to three pages is read again', async () => {
    const { reports, leave, requests } = await open(3);
    refresh(client, CHANGED, new Set());
    await tick();
    expect([requests(), reports]).toEqual([6, [true, false]]);
    leave();
  });
});
