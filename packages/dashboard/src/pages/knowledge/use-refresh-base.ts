import { useQueryClient } from '@tanstack/react-query';

/** Reads a knowledge base again after documents were added. */
export function useRefreshBase(baseId: string): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['knowledge', 'bases'] }),
      client.invalidateQueries({ queryKey: ['knowledge', 'base', baseId] }),
      client.invalidateQueries({ queryKey: ['knowledge', 'documents', baseId] }),
      client.invalidateQueries({ queryKey: ['knowledge', 'search'] }),
    ]);
}
