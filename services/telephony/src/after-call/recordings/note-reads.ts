import { recordAudit } from '@parley/kit/audit';
import { createCache } from '@parley/kit/cache';
import { queryRow, type SqlClient, sql } from '@parley/kit/db';
import type { Clock } from '@parley/kit/time';
import { z } from 'zod';
import type { Transact } from '../../clients/ports.ts';
import { type LinkReader, readerIn } from './recording-links.ts';

/** A request that opens a recording by a valid link. */
type RecordingRead = {
  callId: string;
  /** The signed parts of the link. */
  link: { expires: string; reader?: string | undefined };
  /** The client's, from the gateway. */
  address: string | undefined;
  requestId: string;
};

/** Records that a recording is read, before it is sent [trust.27] (ADR 65). Rejects if that fails. */
export type NoteRead = (read: RecordingRead) => Promise<void>;

/** A player reads a recording in parts, and again when it is played again: one entry for a link and address within this time. */
const ONCE_MS = 10 * 60_000;
const MAX_REMEMBERED = 10_000;

/** The client's receiver may pass the link of an event on to anyone. */
const OF_EVENT: LinkReader = { kind: 'service', id: 'link of call_analyzed' };

type Deps = { sql: SqlClient; transact: Transact; clock: Clock };

const callRow = z.object({ workspaceId: z.string() });

export function createNoteRead({ sql: client, transact, clock }: Deps): NoteRead {
  const noted = createCache<string, Promise<void>>({ maxEntries: MAX_REMEMBERED, ttlMs: ONCE_MS });

  const record = async ({ callId, link: { reader }, address, requestId }: RecordingRead): Promise<void> => {
    const call = await queryRow(
      client,
      callRow,
      sql`SELECT workspace_id::text AS "workspaceId" FROM calls WHERE id = ${callId}::uuid`,
    );
    if (!call) return;
    const actor = readerIn(reader) ?? OF_EVENT;
    const by = { workspaceId: call.workspaceId, actor, requestId, ...(address ? { address } : {}) };
    const entry = { action: 'recording.read', target: { type: 'call', id: callId }, at: clock.now() };
    await transact((tx) => recordAudit(tx, by, entry));
  };

  return (read) => {
    const { callId, link, address } = read;
    const name = JSON.stringify([callId, link.expires, link.reader, address]);
    return noted.getOrSet(name, () =>
      record(read).catch((err: unknown) => {
        noted.delete(name);
        throw err;
      }),
    );
  };
}
