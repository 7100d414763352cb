import { isConnectivityError } from '@parley/kit/errors';
import type { Log } from '@parley/kit/log';
import type { SnapshotArchive } from '../assistants/snapshot-ports.ts';
import type { Call } from './call.ts';
import type { CallSessions, OrphanedCall } from './call-sessions.ts';
import { crashStepOf, isPoison } from './crash-step.ts';
import type { BegunTool, Entry } from './ports.ts';
import type { TakenCall, Workers } from './worker-ports.ts';

export type TakeOverDeps = {
  workers: Workers;
  archive: SnapshotArchive;
  readRecords: (callIds: readonly string[]) => Promise<Map<string, Entry[]>>;
  readBegunTools: (callIds: readonly string[]) => Promise<Map<string, BegunTool[]>>;
  sessions: CallSessions;
  workerId: string;
  log: Log;
  /** A call ends because its workers crash on it. */
  onPoison: () => void;
};

const BATCH = 100;

/**
 * Keeps each live call in the one worker that holds it: releases calls that others have taken, and continues strays and the
 * calls of dead workers. True: there may be more.
 */
export async function takeOverCalls(deps: TakeOverDeps): Promise<boolean> {
  const { workers, sessions, workerId, log } = deps;
  const strays = await sessions.compare(() => workers.heldCalls(workerId));
  if (strays.length > 0) {
    log.warn({ calls: strays.length }, 'calls without a session here');
    const calls = await workers.retake(workerId, strays);
    await resumeCalls(
      deps,
      calls.map((call) => ({ call, workerCrashed: false })),
    );
  }
  const taken = await workers.takeOver(workerId, BATCH);
  if (taken.length > 0) log.info({ calls: taken.length }, 'taking calls over');
  await resumeCalls(deps, taken);
  return taken.length === BATCH;
}

async function resumeCalls(deps: TakeOverDeps, taken: readonly TakenCall[]): Promise<void> {
  if (taken.length === 0) return;
  const calls = taken.map(({ call }) => call);
  const callIds = calls.map(({ id }) => id);
  // Read before the record: a tool that the dead worker still completes in between is in both, and thus done.
  const interrupted = await deps.readBegunTools(callIds);
  const records = await deps.readRecords(callIds);
  const snapshots = await readSnapshots(deps, calls);
  const orphans = taken.map(({ call, workerCrashed }) => {
    const record = records.get(call.id) ?? [];
    const done = new Set(record.map((entry) => entry.role === 'tool' && entry.toolCallId));
    return {
      call,
      workerCrashed,
      snapshot: snapshots.get(versionOf(call)) ?? null,
      record,
      interrupted: (interrupted.get(call.id) ?? []).filter(({ toolCallId }) => !done.has(toolCallId)),
    };
  });
  const poison = await findPoison(deps, orphans);
  await deps.sessions.takeOver(
    orphans.map((orphan) => ({ ...orphan, isPoison: poison.has(orphan.call.id) })),
  );
}

/** Calls whose workers crash on them; the crash is counted before any work for the call begins here. */
async function findPoison(
  { workers, workerId, log, onPoison }: TakeOverDeps,
  orphans: readonly (Omit<OrphanedCall, 'isPoison'> & Pick<TakenCall, 'workerCrashed'>)[],
): Promise<Set<string>> {
  const crashed = orphans.flatMap(({ call, record, interrupted, workerCrashed }) =>
    workerCrashed ? [{ call, step: crashStepOf(call, record, interrupted) }] : [],
  );
  const counts = await workers.countCrashes(workerId, crashed);
  const poison = crashed.filter(({ call, step }) => {
    const crashes = counts.get(call.id);
    return crashes !== undefined && isPoison(step, crashes);
  });
  for (const { call, step } of poison) {
    log.error(
      { callId: call.id, step: step.name, ...counts.get(call.id) },
      'ending a call on which its workers crash',
    );
    onPoison();
  }
  return new Set(poison.map(({ call }) => call.id));
}

const versionOf = ({ agentId, agentVersion }: Call): string => `${agentId}:${agentVersion}`;

async function readSnapshots(
  { archive, log }: TakeOverDeps,
  calls: readonly Call[],
): Promise<Map<string, OrphanedCall['snapshot']>> {
  const snapshots = new Map<string, OrphanedCall['snapshot']>();
  for (const [key, { agentId, agentVersion }] of new Map(calls.map((call) => [versionOf(call), call]))) {
    // An unreadable version ends its own calls only. An unavailable database ends none: the calls become strays.
    const snapshot = await archive.read(agentId, agentVersion).catch((err: unknown) => {
      if (isConnectivityError(err)) throw err;
      log.error({ err, agentId, agentVersion }, 'assistant of a call could not be read');
      return null;
    });
    snapshots.set(key, snapshot);
  }
  return snapshots;
}
