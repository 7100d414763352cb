import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Drawer } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { documentQuery, type KnowledgeDocument } from './queries.ts';

type Props = { document: KnowledgeDocument; onClose(): void };

/** The text of a document. Loaded when it is opened. */
export function DocumentDrawer({ document, onClose }: Props) {
  const detail = useQuery(documentQuery(document.knowledge_base_id, document.id));
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title={document.title}>
      {detail.isError && <ErrorNote error={detail.error} onRetry={() => void detail.refetch()} />}
      {detail.isPending && <Skeleton height={300} />}
      {detail.data && (
        <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {detail.data.text}
        </Text>
      )}
    </Drawer>
  );
}
