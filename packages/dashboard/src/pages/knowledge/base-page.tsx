import { ActionIcon, Button, Skeleton } from '@mantine/core';
import { IconDots, IconFileText, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { api } from '../../app/client.ts';
import { isNotFound } from '../../app/describe-error.ts';
import { plural } from '../../app/format-number.ts';
import { notifyDone } from '../../app/notify.ts';
import { Actions } from '../../components/actions.tsx';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import type { Column } from '../../components/data-list/column.ts';
import { DataList } from '../../components/data-list/data-list.tsx';
import { useList } from '../../components/data-list/use-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { lazyDialog } from '../../components/lazy-component.tsx';
import { OutdatedNote } from '../../components/outdated-note.tsx';
import { Page } from '../../components/page.tsx';
import { RoleGate } from '../../components/role-gate.tsx';
import { Section } from '../../components/section.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Time } from '../../components/time.tsx';
import { writeDraft } from '../../drafts/draft-storage.ts';
import { useDraftKey } from '../../drafts/use-draft-key.ts';
import { useGoneDrafts } from '../../drafts/use-gone-drafts.ts';
import { StatusPill } from '../calls/status-pill.tsx';
import { AddDocument } from './add-document.tsx';
import { baseQuery, type KnowledgeBase, type KnowledgeDocument, textDraftName } from './queries.ts';
import { SearchBox } from './search-box.tsx';

const DocumentDrawer = lazyDialog(() => import('./document-drawer.tsx'), 'DocumentDrawer');

const route = getRouteApi('/shell/knowledge/$id');

/** One knowledge base: its documents, and what a search finds in them. */
export function BasePage() {
  const { id } = route.useParams();
  const base = useQuery(baseQuery(id));
  useGoneDrafts(textDraftName(id), !base.data && isNotFound(base.error));
  const trail = (
    <TextLink to="/knowledge" size="sm">
      Knowledge
    </TextLink>
  );
  if (!base.data)
    return (
      <Page title="Knowledge base" trail={trail}>
        {base.isError ? (
          <ErrorNote error={base.error} onRetry={() => void base.refetch()} />
        ) : (
          <Skeleton height={240} />
        )}
      </Page>
    );
  return <Loaded base={base.data} trail={trail} note={<OutdatedNote query={base} />} />;
}

type LoadedProps = { base: KnowledgeBase; trail: ReactNode; note: ReactNode };

function Loaded({ base, trail, note }: LoadedProps) {
  const bases = useMemo(() => [base], [base]);
  return (
    <Page
      title={base.name}
      trail={trail}
      description={`${plural(base.document_count, 'document')}, all searchable`}
      actions={
        <>
          <AddDocument baseId={base.id} baseName={base.name} />
          <DeleteBase base={base} />
        </>
      }
    >
      {note}
      <Section title="Search" description="The passages that an assistant would get for a question.">
        <SearchBox bases={bases} />
      </Section>
      <Documents base={base} />
    </Page>
  );
}

function DeleteBase({ base }: { base: KnowledgeBase }) {
  const draftKey = useDraftKey(textDraftName(base.id));
  const navigate = route.useNavigate();
  const client = useQueryClient();
  return (
    <ConfirmAction
      title={`Delete ${base.name}?`}
      confirmLabel="Delete knowledge base"
      typed={base.name}
      onConfirm={async () => {
        await api.knowledgeBases.delete(base.id);
        writeDraft(draftKey, undefined);
        await client.invalidateQueries({ queryKey: ['knowledge', 'bases'] });
        notifyDone(`${base.name} is deleted`);
        await navigate({ to: '/knowledge', search: {} });
      }}
      trigger={(ask) => (
        <Actions
          button={
            <ActionIcon aria-label="More actions" variant="default" size={36}>
              <IconDots size={18} />
            </ActionIcon>
          }
          actions={[
            { label: 'Delete knowledge base', onClick: ask, minimum: 'developer', isDestructive: true },
          ]}
        />
      )}
    >
      Its {plural(base.document_count, 'document')} are deleted, and every assistant that searches it stops
      doing so. This cannot be undone.
    </ConfirmAction>
  );
}

function Documents({ base }: { base: KnowledgeBase }) {
  const [opened, setOpened] = useState<KnowledgeDocument | null>(null);
  const list = useList({
    queryKey: ['knowledge', 'documents', base.id],
    request: (offset, signal) =>
      api.knowledgeBases.listDocuments(
        base.id,
        { limit: 50, ...(offset === undefined ? {} : { offset }) },
        { signal },
      ),
  });
  const columns = useMemo<Column<KnowledgeDocument>[]>(
    () => [
      {
        id: 'title',
        header: 'Title',
        render: (document) => (
          <Button
            variant="transparent"
            size="compact-sm"
            px={0}
            c="var(--mantine-color-text)"
            onClick={() => setOpened(document)}
          >
            {document.title}
          </Button>
        ),
      },
      {
        id: 'status',
        header: 'Index',
        width: 130,
        render: () => <StatusPill tone="good">searchable</StatusPill>,
      },
      { id: 'size', header: 'Size', width: 110, align: 'right', render: ({ size }) => formatBytes(size) },
      {
        id: 'created',
        header: 'Added',
        width: 160,
        render: ({ created_at }) => <Time at={created_at} as="relative" />,
      },
      {
        id: 'delete',
        header: 'Delete',
        width: 90,
        align: 'right',
        render: (document) => <DeleteDocument document={document} />,
      },
    ],
    [],
  );
  return (
    <>
      <DataList
        label="Documents"
        list={list}
        columns={columns}
        itemKey={({ id }) => id}
        fixedColumns
        empty={
          <EmptyState
            icon={<IconFileText size={22} />}
            title="No documents yet"
            actions={<AddDocument baseId={base.id} baseName={base.name} />}
          >
            Paste a text, or upload text, Markdown, HTML or PDF files. Short documents about one thing each
            are found best.
          </EmptyState>
        }
      />
      {opened ? <DocumentDrawer document={opened} onClose={() => setOpened(null)} /> : null}
    </>
  );
}

function DeleteDocument({ document }: { document: KnowledgeDocument }) {
  const client = useQueryClient();
  return (
    <ConfirmAction
      title={`Delete “${document.title}”?`}
      confirmLabel="Delete document"
      onConfirm={async () => {
        await api.knowledgeBases.deleteDocument(document.knowledge_base_id, document.id);
        await client.invalidateQueries({ queryKey: ['knowledge'] });
        notifyDone(`${document.title} is deleted`);
      }}
      trigger={(ask) => (
        <RoleGate minimum="developer">
          <ActionIcon aria-label={`Delete ${document.title}`} onClick={ask}>
            <IconTrash size={16} />
          </ActionIcon>
        </RoleGate>
      )}
    >
      Searches stop finding it at once. This cannot be undone.
    </ConfirmAction>
  );
}

function formatBytes(size: number): string {
  if (size < 1024) return `${size} B`;
  const kib = size / 1024;
  return kib < 1024 ? `${kib.toFixed(kib < 10 ? 1 : 0)} KiB` : `${(kib / 1024).toFixed(1)} MiB`;
}
