import { queryOptions, useQuery } from '@tanstack/react-query';
import { api } from './client.ts';

export type WorkspaceSettings = Awaited<ReturnType<typeof api.workspace.get>>;

const SETTINGS_FRESH_MS = 60_000;

export const workspaceQuery = queryOptions({
  queryKey: ['workspace'],
  queryFn: ({ signal }) => api.workspace.get({ signal }),
  staleTime: SETTINGS_FRESH_MS,
});

/** Settings and limits of the selected workspace; undefined until they are there. */
export function useWorkspaceSettings(): WorkspaceSettings | undefined {
  return useQuery(workspaceQuery).data;
}

/** Of all prices and costs (ISO 4217). */
export function useCurrency(): string {
  return useWorkspaceSettings()?.currency ?? 'USD';
}
