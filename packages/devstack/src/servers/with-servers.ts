import { buildAll } from '../build/build.ts';
import { untilStopRequested } from '../processes/on-stop.ts';
import { createReleases } from '../processes/releases.ts';
import { openStackFolder } from '../stack/folders.ts';
import { createSteps } from '../terminal/steps.ts';
import type { ServerKind } from './server-kinds.ts';
import { provisionThrowaway, serverVariables } from './throwaway-servers.ts';

const INTERRUPTED = 130;

/**
 * Builds, finds or starts the servers, runs the work with the variables of their addresses, and stops the servers that it started.
 * Returns the work's exit code. If it must stop earlier, `signal` aborts, and it waits for the work to end. `preferPrivate`: servers to
 * start privately, if they are installed, even if others run at the usual ports.
 */
export async function withServers(
  work: (env: NodeJS.ProcessEnv, signal: AbortSignal) => Promise<number>,
  { preferPrivate = [] }: { preferPrivate?: readonly ServerKind[] } = {},
): Promise<number> {
  const abort = new AbortController();
  void untilStopRequested().then(() => abort.abort());
  openStackFolder();
  const steps = createSteps(process.stdout);
  const releases = createReleases();
  try {
    const servers = provisionThrowaway(steps, abort.signal, preferPrivate);
    const [provisioned, built] = await Promise.allSettled([servers, steps.step('Build', buildAll)]);
    if (provisioned.status === 'fulfilled') await releases.add(provisioned.value.stop);
    if (abort.signal.aborted) return INTERRUPTED;
    if (provisioned.status === 'rejected') throw provisioned.reason;
    if (built.status === 'rejected') throw built.reason;
    return await work({ ...process.env, ...serverVariables(provisioned.value) }, abort.signal);
  } finally {
    await releases.run();
  }
}
