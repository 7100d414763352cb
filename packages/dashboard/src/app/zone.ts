import type { QueryClient } from '@tanstack/react-query';
import { useWorkspaceSettings, workspaceQuery } from './workspace.ts';

const ofThisBrowser = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The time zone in which times are shown and days begin: that of the workspace. */
export function useZone(): string {
  return useWorkspaceSettings()?.time_zone ?? ofThisBrowser;
}

/** The same outside of a component. */
export function knownZone(queryClient: QueryClient): string {
  return queryClient.getQueryData(workspaceQuery.queryKey)?.time_zone ?? ofThisBrowser;
}
