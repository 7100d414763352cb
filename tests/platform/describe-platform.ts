import { afterAll, beforeAll } from '@jest/globals';
import { bootPlatform, createApi, type Platform } from '@parley/testkit/stage';

/** Starts a suite: the platform, with a workspace of the suite's own in place of the platform's first. */
export type Enter = () => Promise<Platform>;

/**
 * Suites of one file that share a platform: six processes and five databases take as long to start as most suites run. They change nothing of the
 * platform but what belongs to their workspaces.
 */
export function describePlatform(
  options: Parameters<typeof bootPlatform>[0],
  suites: readonly ((enter: Enter) => void)[],
): void {
  let booted: Platform | undefined;
  // Hooks of the file, not of a `describe`: concurrent tests begin before these.
  beforeAll(async () => {
    booted = await bootPlatform(options);
  });
  for (const suite of suites)
    suite(async () => {
      if (!booted) throw new Error('the platform has not started');
      const workspace = await booted.createWorkspace('Test');
      return { ...booted, workspace, api: createApi(booted.url, workspace.private_key) };
    });
  afterAll(() => booted?.stop());
}
