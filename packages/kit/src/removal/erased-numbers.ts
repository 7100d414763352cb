import { createHmac } from 'node:crypto';
import { setImmediate as nextTick } from 'node:timers/promises';
import { z } from 'zod';
import { queryRows, type SqlClient, sql } from '../db/index.ts';
import { monotonicMs } from '../time/index.ts';
import { maskDigits, numbersIn } from './mention.ts';

/** A message as it was published. */
type PublishedText = {
  text: string;
  /** Undefined if the text is not a message of the contract: the numbers of every workspace are searched for. */
  workspaceId: string | undefined;
  /** Real time in seconds; undefined for long ago. */
  publishedAtSeconds: number | undefined;
};

/**
 * The phone numbers that were erased in the last 30 days, as keyed hashes. A message that was published before an erasure may be
 * consumed after it and must not restore the number.
 */
export type ErasedNumbers = {
  /** The digits of erased numbers that a message mentions. Costs one cached lookup if nothing was erased since it was published. */
  find(message: PublishedText): Promise<Set<string>>;
  /** The text of a message with mentions of erased numbers masked. */
  redact(message: PublishedText): Promise<string>;
  /** The representation of a number in `removals`. */
  macOf(phoneNumber: string): string;
};

/** How long `find` may miss an erasure by another process. */
const CACHE_MS = 1_000;

/** Numbers hashed before the event loop gets a turn. */
const HASHED_AT_ONCE = 2_000;

const recentRow = z.object({ workspaceId: z.string(), doneAt: z.number() });
const foundRow = z.object({ mac: z.string() });

/** `keys`: of this service, newest first. A number is found for as long as its key is configured. */
export function createErasedNumbers({
  client,
  keys,
}: {
  client: SqlClient;
  keys: readonly Buffer[];
}): ErasedNumbers {
  const macKeys = keys.map((key) => createHmac('sha256', key).update('erased phone numbers').digest());
  const macs = (digits: string): string[] =>
    macKeys.map((key) => createHmac('sha256', key).update(digits).digest('base64'));
  let recent: { untilMs: number; byWorkspace: Promise<Map<string, number>> } | undefined;

  const readRecent = async (): Promise<Map<string, number>> => {
    const rows = await queryRows(
      client,
      recentRow,
      sql`SELECT workspace_id::text AS "workspaceId", extract(epoch FROM max(updated_at))::float8 AS "doneAt" FROM removals
        WHERE number_mac IS NOT NULL AND updated_at > clock_timestamp() - interval '30 days' GROUP BY 1`,
    );
    return new Map(rows.map(({ workspaceId, doneAt }) => [workspaceId, doneAt]));
  };

  const mayMention = async ({ workspaceId, publishedAtSeconds = 0 }: PublishedText): Promise<boolean> => {
    if (!recent || recent.untilMs < monotonicMs()) {
      const next = { untilMs: monotonicMs() + CACHE_MS, byWorkspace: readRecent() };
      next.byWorkspace.catch(() => {
        if (recent === next) recent = undefined;
      });
      recent = next;
    }
    const byWorkspace = await recent.byWorkspace;
    if (workspaceId === undefined) return byWorkspace.size > 0;
    return (byWorkspace.get(workspaceId) ?? Number.NEGATIVE_INFINITY) >= publishedAtSeconds;
  };

  const find = async (message: PublishedText): Promise<Set<string>> => {
    if (!(await mayMention(message))) return new Set();
    const { text, workspaceId = null, publishedAtSeconds = 0 } = message;
    const digitsOf = new Map<string, string>();
    for (const [index, digits] of numbersIn(text).entries()) {
      if (index % HASHED_AT_ONCE === HASHED_AT_ONCE - 1) await nextTick();
      for (const mac of macs(digits)) digitsOf.set(mac, digits);
    }
    const rows = await queryRows(
      client,
      foundRow,
      sql`SELECT number_mac AS mac FROM removals
        WHERE number_mac = ANY (${[...digitsOf.keys()]}::text[])
          AND (${workspaceId}::uuid IS NULL OR workspace_id = ${workspaceId}::uuid)
          AND updated_at >= to_timestamp(${publishedAtSeconds}::float8)`,
    );
    return new Set(rows.map(({ mac }) => digitsOf.get(mac) ?? ''));
  };

  return {
    find,
    redact: async (message) => maskDigits(message.text, await find(message)),
    macOf: (phoneNumber) => macs(phoneNumber.replace(/\D/g, ''))[0] ?? '',
  };
}
