import { Loader, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { api } from '../../app/client.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import type { KnowledgeHit } from './queries.ts';

type Base = { id: string; name: string };
type Hit = KnowledgeHit & { base: string };
const LIMIT = 5;

/** Searches bases as a call does, and shows the passages. */
export function SearchBox({ bases }: { bases: readonly Base[] }) {
  const [text, setText] = useState('');
  const [query] = useDebouncedValue(text.trim(), 250);
  const ids = bases.map(({ id }) => id).sort();
  const search = useQuery({
    queryKey: ['knowledge', 'search', ids, query],
    queryFn: async ({ signal }): Promise<Hit[]> => {
      const found = await Promise.all(
        bases.map(async ({ id, name }) => {
          const hits = await api.knowledgeBases.search(id, { query, limit: LIMIT }, { signal });
          return hits.map((hit) => ({ ...hit, base: name }));
        }),
      );
      return found
        .flat()
        .sort((a, b) => b.score - a.score)
        .slice(0, LIMIT);
    },
    enabled: query !== '' && bases.length > 0,
    placeholderData: keepPreviousData,
  });
  const hits = query === '' ? [] : (search.data ?? []);
  return (
    <Stack gap="sm">
      <TextInput
        type="search"
        aria-label="Search the documents"
        placeholder="Ask as a caller would: when do you open?"
        leftSection={<IconSearch size={16} />}
        rightSection={search.isFetching ? <Loader size={14} /> : undefined}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        maxLength={1000}
      />
      {search.isError && <ErrorNote error={search.error} onRetry={() => void search.refetch()} />}
      <Stack gap="xs" aria-live="polite">
        {query !== '' && search.isSuccess && hits.length === 0 && (
          <Text size="sm" c="dimmed">
            Nothing found: the assistant would say that it does not know.
          </Text>
        )}
        {hits.map((hit) => (
          <Passage key={`${hit.document_id} ${hit.snippet}`} hit={hit} showsBase={bases.length > 1} />
        ))}
      </Stack>
    </Stack>
  );
}

function Passage({ hit, showsBase }: { hit: Hit; showsBase: boolean }) {
  return (
    <Paper withBorder p="sm">
      <Text size="sm" fw={600}>
        {hit.title}
        {showsBase && (
          <Text span c="dimmed" fw={400}>
            {' '}
            · {hit.base}
          </Text>
        )}
      </Text>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        <Highlighted text={hit.snippet} />
      </Text>
      <Text size="xs" c="dimmed" mt={4}>
        Match {Math.round(hit.score * 100)} %
      </Text>
    </Paper>
  );
}

/** The API encloses what matched in `**`: every second part. */
function Highlighted({ text }: { text: string }) {
  const parts = text.split('**');
  return parts.map((part, i) => {
    return i % 2 === 1 ? <mark key={i}>{part}</mark> : <Fragment key={i}>{part}</Fragment>;
  });
}
