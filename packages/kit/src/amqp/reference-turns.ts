import { createKeyedLimiter } from '../concurrency/index.ts';

/** Runs the work with a content in its turn. Throws the signal's reason if it aborts while waiting. */
export type InTurn = <T>(workspaceId: string, work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** Contents may have megabytes: few are in memory at once, and those of one workspace don't take all turns. */
const CONTENTS = 2;
const CONTENTS_PER_WORKSPACE = 1;

/** Turns for messages by reference. The consumer bounds how many wait. */
export function createReferenceTurns(): InTurn {
  const all = createKeyedLimiter({ concurrency: CONTENTS, maxQueued: Number.POSITIVE_INFINITY });
  const ofWorkspace = createKeyedLimiter({
    concurrency: CONTENTS_PER_WORKSPACE,
    maxQueued: Number.POSITIVE_INFINITY,
  });
  return (workspaceId, work, signal) => ofWorkspace.run(workspaceId, () => all.run('', work, signal), signal);
}
