import type { Log } from '@parley/kit/log';
import type { Entry } from '../calls/ports.ts';
import type { SnapshotArchive } from '../conversation/ports.ts';
import type { Workers } from './ports.ts';
import type { OrphanedCall, Switchboard } from './switchboard.ts';

export type TakeOverDeps = {
  workers: Workers;
  archive: SnapshotArchive;
  readRecords: (callIds: readonly string[]) => Promise<Map<string, Entry[]>>;
  switchboard: Switchboard;
  workerId: string;
  log: Log;
};

/** How many calls are taken at once. */
const MOST = 100;

/** Goes on with the calls of workers that are dead; true: there may be more. */
export async function takeOverCalls(deps: TakeOverDeps): Promise<boolean> {
  const { workers, archive, switchboard, workerId, log } = deps;
  const calls = await workers.takeOver(workerId, MOST);
  if (calls.length === 0) return false;
  log.info({ calls: calls.length }, 'taking calls over');
  const records = await deps.readRecords(calls.map(({ id }) => id));
  const versions = new Map(calls.map((call) => [`${call.agentId}:${call.agentVersion}`, call]));
  const snapshots = new Map<string, OrphanedCall['snapshot']>();
  for (const [key, { agentId, agentVersion }] of versions) {
    // A version that can't be opened ends its calls; it must not keep the others from going on.
    const snapshot = await archive.read(agentId, agentVersion).catch((err: unknown) => {
      log.error({ err, agentId, agentVersion }, 'assistant of a call could not be read');
      return null;
    });
    snapshots.set(key, snapshot);
  }
  switchboard.takeOver(
    calls.map((call) => ({
      call,
      snapshot: snapshots.get(`${call.agentId}:${call.agentVersion}`) ?? null,
      record: records.get(call.id) ?? [],
    })),
  );
  return calls.length === MOST;
}
