import { createJobLoop } from '@parley/kit/concurrency';
import type { SqlClient, Transactional } from '@parley/kit/db';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { createStoredBytes, type StoredBytes, type StoredTable } from '@parley/kit/usage';

/** Limits the recordings of each workspace on the disk or in the bucket [trust.28]. */
export type RecordingShare = {
  /** Whether the recordings of the workspace had reached their limit at the last measurement: new calls are not recorded. */
  isUsedUp(workspaceId: string): boolean;
  /** Whether there is a limit: a call may be unrecorded because of it, by the measurement of another worker or minute. */
  readonly isLimited: boolean;
};

/**
 * Recordings by their own size, as it was noted with them. Of those without a note, by their duration: two channels of 16 bits, of web calls at
 * 24 kHz, of others at 8 kHz.
 */
export const STORED_RECORDINGS: StoredTable = {
  name: 'calls',
  fileBytes: `CASE WHEN t.recording_key IS NOT NULL THEN coalesce(
    (SELECT max((e.detail->>'bytes')::bigint) FROM call_events e WHERE e.call_id = t.id AND e.type = 'recording_stored'),
    coalesce(t.duration, 0) * CASE t.call_type WHEN 'web' THEN 96000::bigint ELSE 32000 END) END`,
};

const MIB = 1024 ** 2;
const MEASURED_EVERY_MS = 60_000;

/** Measures the recordings of all workspaces once a minute, if there is a limit, so that no call waits for it. */
export function startRecordingShare({
  sql,
  maxMb,
  log,
  lifecycle,
}: {
  sql: Transactional<SqlClient>;
  /** Of each workspace; undefined: no limit. */
  maxMb: number | undefined;
  log: Log;
  lifecycle: Lifecycle;
}): RecordingShare {
  if (maxMb === undefined) return { isUsedUp: () => false, isLimited: false };
  const measure = createStoredBytes(sql, [STORED_RECORDINGS]);
  let full: ReadonlySet<string> = new Set();
  createJobLoop({
    name: 'share of recordings',
    everyMs: MEASURED_EVERY_MS,
    run: async () => {
      full = fullWorkspaces(await measure(), maxMb);
      return false;
    },
    log,
    lifecycle,
  });
  return { isUsedUp: (workspaceId) => full.has(workspaceId), isLimited: true };
}

export function fullWorkspaces({ workspaces }: StoredBytes, maxMb: number): Set<string> {
  const full = workspaces.filter(({ bytes }) => bytes >= maxMb * MIB);
  return new Set(full.map(({ workspace_id }) => workspace_id));
}
