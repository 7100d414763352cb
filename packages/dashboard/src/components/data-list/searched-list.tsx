import { Anchor } from '@mantine/core';
import type { Page } from '@parley/client/browser';
import type { QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { EmptyState } from '../empty-state.tsx';
import { FilterBar } from '../filter-bar/filter-bar.tsx';
import type { Column } from './column.ts';
import { DataList } from './data-list.tsx';
import type { RowLink } from './row-link.ts';
import { useList } from './use-list.ts';

type Props<Item> = {
  label: string;
  /** One of what is listed: `assistant`. */
  noun: string;
  columns: readonly Column<Item>[];
  itemKey: (item: Item) => string;
  link: (item: Item) => RowLink;
  /** While there is nothing at all. */
  empty: ReactNode;
  /** The text of the URL. */
  search: string | undefined;
  onSearch: (search: string | undefined) => void;
  /** Begins with the area, as for live updates. */
  queryKey: QueryKey;
  /** Requests the page at a cursor; undefined for the first. */
  request: (
    query: { search?: string },
    cursor: number | undefined,
    signal: AbortSignal,
  ) => Promise<Page<Item>>;
};

/** A list of the API that is searched by one text. */
export function SearchedList<Item>(props: Props<Item>) {
  const { noun, search, onSearch, queryKey, request, label, ...shown } = props;
  const list = useList({
    queryKey: [...queryKey, search ?? ''],
    request: (cursor, signal) => request(search ? { search } : {}, cursor, signal),
  });
  return (
    <DataList
      {...shown}
      label={label}
      list={list}
      isFiltered={search !== undefined}
      toolbar={
        <FilterBar
          filters={[{ kind: 'text', name: 'search', label: `Search ${label.toLowerCase()}` }]}
          values={{ search }}
          onChange={(changes) => onSearch(changes.search)}
        />
      }
      noMatch={
        <EmptyState title={`No ${noun} matches`}>
          <Anchor component="button" type="button" onClick={() => onSearch(undefined)}>
            Show all {label.toLowerCase()}
          </Anchor>
        </EmptyState>
      }
    />
  );
}
