import { z } from 'zod';
import { queryRow, queryRows, raw, type SqlClient, sql } from '../db/index.ts';
import { isAbout, maskDigits, mentionOf } from './mention.ts';
import { replaceMentions } from './replace-mentions.ts';
import { halved, type RemovalStep } from './step.ts';
import { walkTable } from './walk-table.ts';

const unpublishedRow = z.object({ exists: z.boolean() });

/** Waits until messages about the person are published: their consumers remove what they store. */
export const awaitOutbox: RemovalStep = async (tx, { workspaceId, phoneNumber }) => {
  const like = phoneNumber === null ? '%' : mentionOf(phoneNumber).like;
  const row = await queryRow(
    tx,
    unpublishedRow,
    sql`SELECT EXISTS (
      SELECT FROM outbox WHERE workspace_id = ${workspaceId}::uuid AND payload LIKE ${like}) AS exists`,
  );
  return { next: null, waiting: row?.exists ? 'unpublished messages' : null };
};

/** Rows may have several MiB each. */
const BATCH = 4;

const found = z.object({ id: z.string(), payload: z.string() });

const KEPT = ['outbox_refused', 'outbox_contents'] as const;

/**
 * Masks the number in messages that the broker refused or that were too large for it, and deletes those about the person; a message by
 * reference keeps an empty content, which its consumers ignore. For a whole workspace all are deleted.
 */
export const eraseRefused: RemovalStep = async (tx, { workspaceId, phoneNumber, halvings }) => {
  const batch = halved(BATCH, halvings);
  let removed = 0;
  let more = false;
  for (const name of KEPT) {
    const table = raw(name);
    if (phoneNumber === null) {
      removed += await tx.$executeRaw(sql`DELETE FROM ${table} WHERE workspace_id = ${workspaceId}::uuid`);
      continue;
    }
    const { like, pattern } = mentionOf(phoneNumber);
    const rows = await queryRows(
      tx,
      found,
      sql`SELECT message_id::text AS id, payload FROM ${table}
        WHERE workspace_id = ${workspaceId}::uuid AND payload LIKE ${like} AND payload ~ ${pattern}
        LIMIT ${batch} FOR UPDATE`,
    );
    for (const row of rows) await eraseMessage(tx, name, row, new Set([phoneNumber.slice(1)]));
    removed += rows.length;
    more ||= rows.length === batch;
  }
  return { removed: { refused_messages: removed }, next: more ? 'more' : null };
};

async function eraseMessage(
  tx: SqlClient,
  name: (typeof KEPT)[number],
  { id, payload }: z.infer<typeof found>,
  digits: ReadonlySet<string>,
): Promise<void> {
  const table = raw(name);
  const isDeleted = isAbout(payload, digits);
  if (isDeleted && name === 'outbox_refused') {
    await tx.$executeRaw(sql`DELETE FROM ${table} WHERE message_id = ${id}::uuid`);
    return;
  }
  const rest = isDeleted ? '' : maskDigits(payload, digits);
  await tx.$executeRaw(sql`UPDATE ${table} SET payload = ${rest} WHERE message_id = ${id}::uuid`);
}

/** Deletes idempotency keys that contain the number. */
export const eraseNamedKeys: RemovalStep = async (tx, { workspaceId, phoneNumber }) => {
  if (phoneNumber === null) return { next: null };
  const { pattern } = mentionOf(phoneNumber);
  const count = await tx.$executeRaw(
    sql`DELETE FROM idempotency_keys WHERE workspace_id = ${workspaceId}::uuid AND key ~ ${pattern}`,
  );
  return { removed: { stored_answers: count }, next: null };
};

/**
 * Removes the person from stored responses, which stay so that a repeated request has no second effect [trust.19]: a response about the
 * person is reduced to its id, in others the number is masked.
 */
export const eraseStoredAnswers: readonly RemovalStep[] = [
  eraseNamedKeys,
  walkTable('idempotency_keys', [
    replaceMentions({
      place: 'stored_answers',
      columns: { answer: 'text' },
      whole: {
        isAbout: (digits) => `"(to_number|from_number|phone_number)" *: *"[+]?${digits}"`,
        value: `jsonb_build_object('success', true, 'data', jsonb_build_object('id', t.answer::jsonb #> '{data,id}'))::text`,
      },
    }),
  ]),
];
