import type { Role } from '@parley/contracts';
import { queryRows, type SqlClient, sql } from '@parley/kit/db';
import { newId } from '@parley/kit/ids';
import { z } from 'zod';
import type { PepperBox } from '../secrets/pepper-box.ts';

/** The account of a `reset` is looked up only when it is sent, so that the response to its request reveals nothing. */
export type Mail =
  | { kind: 'invitation'; to: string; url: string; workspaceName: string; role: Role; invitedBy: string }
  | { kind: 'proof'; to: string; url: string }
  | { kind: 'reset'; to: string; baseUrl: string };

/** `mail` is an error if the row can't be decrypted. */
export type WaitingMail = { id: string; mail: Mail | Error; attempts: number; isLate: boolean };

const BATCH = 10;
const row = z.object({ id: z.string(), payload: z.string(), attempts: z.number(), isLate: z.boolean() });
const placeOf = (id: string): string => `mails:payload:${id}`;

export type MailQueue = ReturnType<typeof createMailQueue>;

export function createMailQueue(client: SqlClient, box: PepperBox) {
  /** An error in place of an unreadable mail, which must not block the others of its batch. */
  const open = (id: string, payload: string): Mail | Error => {
    try {
      return JSON.parse(box.open(payload, placeOf(id))) as Mail;
    } catch (err) {
      return err instanceof Error ? err : new Error(String(err));
    }
  };
  return {
    /** With `tx`, in the transaction of the change that the mail is about. */
    add: async (mail: Mail, tx: SqlClient = client): Promise<void> => {
      const id = newId();
      const payload = box.seal(JSON.stringify(mail), placeOf(id));
      await tx.$executeRaw(sql`INSERT INTO mails (id, payload) VALUES (${id}::uuid, ${payload})`);
    },
    /** Leases a batch of due mails for a minute, doubling with each attempt up to an hour. */
    claim: async (): Promise<WaitingMail[]> => {
      const rows = await queryRows(
        client,
        row,
        sql`
          UPDATE mails SET attempts = attempts + 1,
            due_at = clock_timestamp() + least(60 * 2 ^ least(attempts, 10), 3600) * interval '1 second'
          WHERE id IN (
            SELECT id FROM mails WHERE due_at <= clock_timestamp() ORDER BY due_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
          RETURNING id::text, payload, attempts, created_at < clock_timestamp() - interval '1 day' AS "isLate"`,
      );
      return rows.map(({ payload, ...mail }) => ({ ...mail, mail: open(mail.id, payload) }));
    },
    remove: async (id: string): Promise<void> => {
      await client.$executeRaw(sql`DELETE FROM mails WHERE id = ${id}::uuid`);
    },
  };
}
