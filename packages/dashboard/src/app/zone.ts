import { useWorkspaceSettings } from './workspace.ts';

const ofThisBrowser = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The time zone in which times are shown and days begin: that of the workspace. */
export function useZone(): string {
  return useWorkspaceSettings()?.time_zone ?? ofThisBrowser;
}
