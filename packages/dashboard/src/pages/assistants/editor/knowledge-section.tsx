import { Checkbox, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorNote } from '../../../components/error-note.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { AddDocument } from '../../knowledge/add-document.tsx';
import { CreateBase } from '../../knowledge/create-base.tsx';
import { basesQuery } from '../../knowledge/queries.ts';
import { SearchBox } from '../../knowledge/search-box.tsx';
import { useEditor } from './editor-context.ts';
import { Section } from './section.tsx';

const IDS = 'config.kbStoreIds';

/** Which knowledge bases the assistant searches, with upload and search at hand. */
export function KnowledgeSection() {
  const { get, set } = useEditor();
  const bases = useQuery(basesQuery());
  const value = get(IDS);
  const ids = Array.isArray(value) ? value.map(String) : [];
  const list = bases.data ?? [];
  const used = list.filter(({ id }) => ids.includes(id));
  const toggle = (id: string, isUsed: boolean) =>
    set(IDS, isUsed ? [...ids, id] : ids.filter((known) => known !== id));
  return (
    <Stack gap="xl">
      <Section
        title="Knowledge bases"
        about="The assistant searches these while it talks, by the tool of type knowledge_base."
      >
        {bases.isPending && <Skeleton height={64} />}
        {bases.isError && <ErrorNote error={bases.error} onRetry={() => void bases.refetch()} />}
        {bases.isSuccess && list.length === 0 && (
          <Text size="sm" c="dimmed">
            No knowledge bases yet. Create one, and put in what callers ask about: prices, opening hours,
            rules.
          </Text>
        )}
        {list.map(({ id, name, document_count: count }) => (
          <Paper key={id} withBorder p="sm">
            <Group justify="space-between" wrap="nowrap">
              <Checkbox
                checked={ids.includes(id)}
                onChange={(event) => toggle(id, event.currentTarget.checked)}
                label={name}
                description={count === 1 ? '1 document' : `${count} documents`}
              />
              <Group gap="xs" wrap="nowrap">
                <AddDocument baseId={id} baseName={name} isSmall />
                <TextLink to="/knowledge/$id" params={{ id }} size="sm">
                  Open
                </TextLink>
              </Group>
            </Group>
          </Paper>
        ))}
        <div>
          <CreateBase onCreated={(id) => toggle(id, true)} />
        </div>
      </Section>
      {used.length > 0 && (
        <Section
          title="What the assistant would find"
          about="Searches the bases that are ticked, as during a call."
        >
          <SearchBox bases={used} />
        </Section>
      )}
    </Stack>
  );
}
