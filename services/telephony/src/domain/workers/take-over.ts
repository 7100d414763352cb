import { isConnectivityError } from '@parley/kit/errors';
import type { Log } from '@parley/kit/log';
import type { Call } from '../calls/call.ts';
import type { BegunTool, Entry } from '../calls/ports.ts';
import type { SnapshotArchive } from '../conversation/ports.ts';
import type { Workers } from './ports.ts';
import type { OrphanedCall, Switchboard } from './switchboard.ts';

export type TakeOverDeps = {
  workers: Workers;
  archive: SnapshotArchive;
  readRecords: (callIds: readonly string[]) => Promise<Map<string, Entry[]>>;
  readBegunTools: (callIds: readonly string[]) => Promise<Map<string, BegunTool[]>>;
  switchboard: Switchboard;
  workerId: string;
  log: Log;
};

/** How many calls are taken at once. */
const MOST = 100;

/**
 * Sees to it that each live call is carried by the one worker that it belongs to: lets go of what others have taken,
 * goes on with its own strays and with the calls of workers that are dead. True: there may be more.
 */
export async function takeOverCalls(deps: TakeOverDeps): Promise<boolean> {
  const { workers, switchboard, workerId, log } = deps;
  const strays = await switchboard.compare(() => workers.heldCalls(workerId));
  if (strays.length > 0) {
    log.warn({ calls: strays.length }, 'calls without a session here');
    await goOn(deps, await workers.retake(workerId, strays));
  }
  const calls = await workers.takeOver(workerId, MOST);
  if (calls.length > 0) log.info({ calls: calls.length }, 'taking calls over');
  await goOn(deps, calls);
  return calls.length === MOST;
}

async function goOn(deps: TakeOverDeps, calls: readonly Call[]): Promise<void> {
  if (calls.length === 0) return;
  const callIds = calls.map(({ id }) => id);
  // Before the record: what the dead one still writes in between is in both, and then it's done.
  const interrupted = await deps.readBegunTools(callIds);
  const records = await deps.readRecords(callIds);
  const snapshots = await readSnapshots(deps, calls);
  await deps.switchboard.takeOver(
    calls.map((call) => {
      const record = records.get(call.id) ?? [];
      const done = new Set(record.map((entry) => entry.role === 'tool' && entry.toolCallId));
      return {
        call,
        snapshot: snapshots.get(versionOf(call)) ?? null,
        record,
        interrupted: (interrupted.get(call.id) ?? []).filter(({ toolCallId }) => !done.has(toolCallId)),
      };
    }),
  );
}

const versionOf = ({ agentId, agentVersion }: Call): string => `${agentId}:${agentVersion}`;

async function readSnapshots(
  { archive, log }: TakeOverDeps,
  calls: readonly Call[],
): Promise<Map<string, OrphanedCall['snapshot']>> {
  const snapshots = new Map<string, OrphanedCall['snapshot']>();
  for (const [key, { agentId, agentVersion }] of new Map(calls.map((call) => [versionOf(call), call]))) {
    // A version that can't be opened ends its calls; it must not keep the others from going on. A database that is away
    // ends none: the calls are found as strays when it is back.
    const snapshot = await archive.read(agentId, agentVersion).catch((err: unknown) => {
      if (isConnectivityError(err)) throw err;
      log.error({ err, agentId, agentVersion }, 'assistant of a call could not be read');
      return null;
    });
    snapshots.set(key, snapshot);
  }
  return snapshots;
}
